/**
 * Writes `learned/` at the end of a run, however it ended, and before a repartition: sites with the counts of
 * the ledger and the notes about their hosts, and nets as table conversion wrote them. Values of the previous
 * crawl are kept where this crawl has none: for sites that it did not see or that failed, for unchanged
 * pages, and for nets if links are not recorded. Writing takes long, so it runs in a thread of its own, which
 * has no access to the ledger.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { writeSealed } from '../../files/index.js'
import { type AgentAbility, machineOf } from '../assign/learned/index.js'
import {
  Checksums,
  describeFile,
  FOLDER,
  KEPT_NETS,
  LEARNED_MANIFEST,
  type LearnedFile,
  type LearnedManifest,
  type LearnedTrouble,
  learnedIn,
  linesOf,
  manifestOf,
  manifestPath,
  SITES,
} from './learned-folder.js'
import { LearnedSites } from './learned-sites.js'
import { writeLines } from './line-file.js'
import type { SiteCount } from './site-count.js'

export interface LearnedTask {
  readonly directory: string
  /** When the crawl was begun, as in crawl.json. */
  readonly crawl: string
  readonly now: number
  /**
   * False with `--tables none`: links and hosts are not recorded, and the nets of the previous crawl stay.
   */
  readonly hasLinks: boolean
  /** The files that table conversion has written, as the ledger lists them. */
  readonly files: readonly { readonly name: string; readonly kind: string }[]
  /** The measured abilities of the agents. */
  readonly agents: readonly AgentAbility[]
  readonly previous: { readonly directory: string; readonly crawl: string } | null
}

/** More agents are not stored. */
const MOST_AGENTS = 1_000
/** A net that stands for less than this part of a page is dropped. */
const LEAST_COUNT = 0.01

export class LearnedWriter {
  readonly #checksums: Checksums
  readonly #sites = new LearnedSites()

  /** `checksums` may come from an earlier writer. */
  constructor(checksums = new Checksums()) {
    this.#checksums = checksums
  }

  add(counts: readonly SiteCount[]): void {
    for (const count of counts) this.#sites.add(count)
  }

  /** Returns why the `learned/` of the previous crawl could not be used; then only new values are written. */
  async finish(task: LearnedTask): Promise<LearnedTrouble | null> {
    const { directory, previous, crawl, now } = task
    mkdirSync(join(directory, FOLDER), { recursive: true })
    const before = previous && learnedIn(previous.directory, previous.crawl, this.#checksums)
    for (const name of namesOf(task, 'learned-hosts'))
      for await (const line of linesOf(join(directory, FOLDER, name))) this.#sites.note(line)
    if (task.hasLinks) this.#sites.endNotes()
    const files = namesOf(task, 'learned-nets').map(name =>
      describeFile(directory, name, 'nets', this.#checksums),
    )
    const isUsable = before !== null && !('trouble' in before)
    if (isUsable) files.push(...(await this.#keep(task, before)))
    files.unshift(...(await write(directory, SITES, 'sites', this.#sites.lines())))
    const manifest = manifestOf({
      crawl,
      writtenAt: new Date(now).toISOString(),
      sites: this.#sites.size,
      agents: together(task.agents, (isUsable && before.agents) || []),
      files,
    })
    writeSealed(manifestPath(directory), LEARNED_MANIFEST, manifest)
    return before !== null && 'trouble' in before ? before : null
  }

  /** Keeps values of the previous crawl; its nets go to a file of their own. */
  async #keep(task: LearnedTask, before: LearnedManifest): Promise<LearnedFile[]> {
    const from = (holds: string) =>
      before.files
        .filter(file => file.holds === holds)
        .map(({ name }) => join(task.previous!.directory, FOLDER, name))
    for (const path of from('sites')) for await (const line of linesOf(path)) this.#sites.keep(line)
    return write(task.directory, KEPT_NETS, 'nets', this.#validNets(from('nets'), task.hasLinks))
  }

  async *#validNets(paths: readonly string[], hasLinks: boolean): AsyncGenerator<string> {
    for (const path of paths) {
      for await (const line of linesOf(path)) {
        const valid = hasLinks ? this.#validPart(line) : line
        if (valid !== null) yield valid
      }
    }
  }

  /** The net with the count that is still valid beside the new nets of its site; null if it is too small. */
  #validPart(line: string): string | null {
    const tab = line.indexOf('\t')
    const share = this.#sites.netShare(line.slice(tab + 1, line.indexOf(' ', tab)))
    if (share === 1) return line
    const count = Number(line.slice(0, tab)) * share
    return count < LEAST_COUNT ? null : `${Number(count.toFixed(3))}${line.slice(tab)}`
  }
}

/** Returns the file, or nothing if there are no lines. */
async function write(
  directory: string,
  name: string,
  holds: LearnedFile['holds'],
  lines: Iterable<string> | AsyncIterable<string>,
): Promise<LearnedFile[]> {
  const written = await writeLines(join(directory, FOLDER, name), lines)
  return written === null ? [] : [{ name, holds, ...written }]
}

/** Names of files of this kind below `learned/`. */
function namesOf({ files }: LearnedTask, kind: string): string[] {
  return files.filter(file => file.kind === kind).map(({ name }) => name.slice(FOLDER.length + 1))
}

/** Keeps agents of machines that are absent in this crawl: they may be present in the next. */
function together(now: readonly AgentAbility[], before: readonly AgentAbility[]): AgentAbility[] {
  const here = new Set(now.map(({ name }) => machineOf(name)))
  return [...now, ...before.filter(({ name }) => !here.has(machineOf(name)))].slice(0, MOST_AGENTS)
}
