/** `orbweaver guest try`: what a guest makes of a page or a few, without a crawl. */
import { Command, Option } from 'commander'
import { judgedPage } from '../../cluster/agent/lane/index.js'
import { openGuest } from '../../compose/index.js'
import { ConfigError, checkConfig, count } from '../../config/index.js'
import type { Item, Judgement } from '../../page/guest/index.js'
import { parsePage } from '../../page/parse/index.js'
import { TRIED_PAGES, TRIED_PART_CHARS } from '../limits.js'
import { print, printJson } from '../output/index.js'
import { type TriedPage, triedPages } from './tried-pages.js'

interface TryFlags {
  readonly pages: number
  readonly trusted?: boolean
  readonly keywords?: string
  readonly minKeywords?: string
  readonly keep?: string
  readonly allowPrivate?: boolean
  readonly resolve?: readonly string[]
  readonly json?: boolean
}

const EXAMPLES = `
Nothing is stored. A URL is requested once, if its robots.txt allows it.

Examples:
  $ orbweaver guest try products.js https://example.org/shop
  $ orbweaver guest try products.js ./example.org-2026-01-31
  $ orbweaver guest try health.js archive.warc.gz --keywords flu,vaccine --pages 10`

export function guestCommand(): Command {
  return new Command('guest').addCommand(tryCommand())
}

function tryCommand(): Command {
  const many = (value: string, list: string[] | undefined) => [...(list ?? []), value]
  const read = (value: string) => count(1)(value, '--pages')
  return new Command('try')
    .description('show what a guest makes of a page or a few: verdict, kept part and rows')
    .argument('<file>', 'module of the guest')
    .argument('<source>', 'URL of a page, directory of a crawl or of files, or a WARC')
    .addOption(new Option('--pages <n>', 'pages to try').default(TRIED_PAGES).argParser(read))
    .option('--trusted', 'run the guest in this process, with all your rights')
    .option('--keywords <list>', 'count these words')
    .option('--min-keywords <n>', 'as for a crawl')
    .option('--keep <what>', 'as for a crawl')
    .option('--allow-private', 'allow localhost and private addresses')
    .addOption(
      new Option('--resolve <host=addr>', 'use this address for a host instead of DNS').argParser(many),
    )
    .option('--json', 'print one JSON object per page')
    .addHelpText('after', EXAMPLES)
    .action((file: string, source: string, flags: TryFlags) => tryGuest(file, source, flags))
}

async function tryGuest(file: string, source: string, flags: TryFlags): Promise<void> {
  const { pages, json, allowPrivate = false, resolve = [], trusted, keywords, minKeywords, keep } = flags
  const settings = { seeds: ['http://any.invalid/'], guest: file, trusted, keywords, minKeywords, keep }
  const guest = await openGuest(checkConfig(settings))
  if (guest === null) throw new ConfigError('give the module of a guest')
  try {
    for await (const page of triedPages(source, pages, { allowPrivate, resolve })) {
      const { url, body, contentType } = page
      const parsed = parsePage({ url, body, contentType, wantText: true, wantRequisites: false })
      const judgement = await guest.judge(judgedPage(parsed, page))
      if (json) printJson(jsonOf(page, judgement))
      else print(textOf(page, judgement))
    }
  } finally {
    await guest.close()
  }
}

function jsonOf({ url }: TriedPage, judgement: Judgement): object {
  if (!judgement.ok) return { url, outcome: judgement.failure.code, detail: judgement.failure.detail }
  const { verdict, part, items } = judgement
  return { url, verdict, ...(verdict === 'part' ? { part } : {}), rows: items.map(rowOf) }
}

function textOf({ url }: TriedPage, judgement: Judgement): string {
  if (!judgement.ok) return `${url}\n  ${judgement.failure.code}: ${judgement.failure.detail}\n`
  const { verdict, part, items } = judgement
  const lines = [url, `  verdict: ${verdict}`]
  if (verdict === 'part')
    lines.push(
      ...part
        .slice(0, TRIED_PART_CHARS)
        .split('\n')
        .map(line => `  | ${line}`),
    )
  for (const item of items) lines.push(`  row: ${JSON.stringify(rowOf(item))}`)
  return `${lines.join('\n')}\n`
}

function rowOf(item: Item): object {
  return Object.fromEntries(item.map(({ name, value }) => [name, value]))
}
