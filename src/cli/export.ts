/** `orbweaver export`: a crawl as a folder for the browser, as JSON lines, or as Markdown. */
import { existsSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { Command, Option } from 'commander'
import {
  type ExportResult,
  earlierCrawls,
  exportFiles,
  exportJsonl,
  exportMarkdown,
} from '../data/export/index.js'
import type { TablesOptions } from '../data/query/index.js'
import { forTerminal, number, plural, shellWord } from '../model/index.js'
import { previousOf } from '../runtime/directory/index.js'
import type { Say } from './commands.js'
import { EXIT, InterruptedError, interruptible } from './exit/index.js'
import { type LimitFlags, readLimits, withLimits } from './options/index.js'
import { tell } from './output/index.js'

type Kind = 'files' | 'jsonl' | 'markdown'

interface ExportFlags extends LimitFlags {
  readonly to: Kind
  readonly out?: string
  readonly previous?: string
}

const EXAMPLES = `
Examples:
  $ orbweaver export ./example.org-2026-01-31 --to files
      a folder whose index.html opens in a browser, links and images included where they were crawled
  $ orbweaver export ./example.org-2026-01-31 --to markdown --out ./text
      the main text of each page, one .md file per page
  $ orbweaver export ./example.org-2026-01-31 --to jsonl --out - | gzip > pages.jsonl.gz
      every row of the pages table with its text, one JSON object per line

Works while the crawl runs, on what is committed. Existing files are never overwritten.`

export function exportCommand(say: Say): Command {
  const command = new Command('export')
    .argument('<dir>', 'directory of the crawl')
    .addOption(
      new Option('--to <kind>', 'kind of export')
        .choices(['files', 'jsonl', 'markdown'])
        .makeOptionMandatory(),
    )
    .option(
      '--out <path>',
      'folder or, for jsonl, file to write; - is stdout (default: ./<name>-files, .jsonl, -markdown)',
    )
    .option(
      '--previous <dir>',
      'where the previous crawl is now; it has the unchanged pages (default: the path in crawl.json)',
    )
  return withLimits(command)
    .addHelpText('after', EXAMPLES)
    .action(async (dir: string, flags: ExportFlags) => {
      const out = flags.out ?? defaultTarget(dir, flags.to)
      const display = new ProgressLine(process.stderr)
      const limits = readLimits(flags)
      try {
        const tally = await interruptible(limits, interruption =>
          run(dir, flags, out, display, { ...limits, interruption }),
        )
        display.end(closingLines(tally, flags.to, out))
        if (tally.damaged > 0) {
          tell(`${damagedLine(tally, dir)}\n`)
          say(EXIT.damaged)
        }
      } catch (error) {
        throw error instanceof InterruptedError ? withTarget(error, out) : error
      } finally {
        display.clear()
      }
    })
}

/** Adds to the message that the export is incomplete: an interrupted export leaves what it has written. */
function withTarget({ message, exitCode }: InterruptedError, out: string): InterruptedError {
  const isPart = message !== '' && out !== '-' && existsSync(out)
  return new InterruptedError(isPart ? `${message}; ${out} is incomplete` : message, exitCode)
}

async function run(
  dir: string,
  { to, previous }: ExportFlags,
  out: string,
  display: ProgressLine,
  options: TablesOptions,
): Promise<ExportResult> {
  const progress = (written: number, total: number) => display.show(written, total)
  const earlier = earlierCrawls(dir, previous, previousOf)
  if (to === 'files') return exportFiles(dir, out, progress, { ...options, earlier })
  if (to === 'markdown') return exportMarkdown(dir, out, progress, { ...options, earlier })
  return exportJsonl(dir, out === '-' ? process.stdout : out, progress, options)
}

/** A path in the working directory, named after the crawl. */
function defaultTarget(dir: string, kind: Kind): string {
  const name = basename(resolve(dir))
  return kind === 'jsonl' ? `${name}.jsonl` : `${name}-${kind}`
}

const WORDS: Readonly<Record<Kind, string>> = { files: 'file', jsonl: 'row', markdown: 'page' }

/** What was written and what was not, and why. */
export function closingLines(tally: ExportResult, kind: Kind, out: string): string {
  const start = kind === 'files' ? `; open ${out}/index.html` : ''
  const lines = [`Wrote ${plural(tally.written, WORDS[kind])} to ${out === '-' ? 'stdout' : out}${start}`]
  const unchanged = (pages: number) => `${plural(pages, 'page')} that did not change`
  if (tally.fromEarlier > 0) lines.push(`Took ${unchanged(tally.fromEarlier)} from earlier crawls`)
  if (tally.asPlainText > 0)
    lines.push(`Wrote plain text for ${unchanged(tally.asPlainText)}: ${tally.trouble}`)
  if (tally.skippedUnchanged > 0)
    lines.push(`Left out ${unchanged(tally.skippedUnchanged)}: ${tally.trouble}`)
  if (tally.skippedUnreadable > 0)
    lines.push(
      `Left out ${plural(tally.skippedUnreadable, 'page')} that could not be read, e.g. ${tally.example}`,
    )
  return `${lines.join('\n')}\n`
}

function damagedLine({ damaged }: ExportResult, dir: string): string {
  return `orbweaver: the archive is damaged: ${plural(damaged, 'record')}; run "orbweaver repair ${shellWord(dir)}"`
}

/**
 * One line that is rewritten in place on a terminal; elsewhere a new line after every `PLAIN_EVERY` items.
 */
class ProgressLine {
  readonly #stream: NodeJS.WriteStream
  #nextPlain = PLAIN_EVERY
  #isShown = false

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream
  }

  show(written: number, total: number): void {
    const text = `${number(written)} of ${number(total)}`
    if (this.#stream.isTTY) {
      this.#stream.write(`\r\x1b[K${text}`)
      this.#isShown = true
    } else if (written >= this.#nextPlain) {
      this.#stream.write(`${text}\n`)
      this.#nextPlain = written + PLAIN_EVERY
    }
  }

  clear(): void {
    if (this.#isShown) this.#stream.write('\r\x1b[K')
    this.#isShown = false
  }

  end(text: string): void {
    this.clear()
    this.#stream.write(forTerminal(text))
  }
}

const PLAIN_EVERY = 10_000
