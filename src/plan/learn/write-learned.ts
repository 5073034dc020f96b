/**
 * Writes `learned/`, at the end of a run, however it ended, and when a crawl under way is to be placed anew:
 * sites as the ledger counted them, with what was noted of their hosts; nets as conversion left them. Values
 * of the crawl before are kept where this one has nothing new: of sites it did not see or that failed, of
 * pages that had not changed, of nets where no links are noted. It takes its time, so a thread does it that
 * has nothing else in hand; what the ledger knows is handed in.
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
  /** When the crawl was begun, as crawl.json says it. */
  readonly crawl: string
  readonly now: number
  /**
   * False with `--tables none`: nothing is noted of links and hosts then, and the nets of the crawl before
   * stand.
   */
  readonly hasLinks: boolean
  /** What conversion has noted, as the ledger lists it. */
  readonly files: readonly { readonly name: string; readonly kind: string }[]
  /** What the agents were found able to do. */
  readonly agents: readonly AgentAbility[]
  readonly previous: { readonly directory: string; readonly crawl: string } | null
}

/** Of agents that are remembered. */
const MOST_AGENTS = 1_000
/** A net of less than this part of a page is forgotten. */
const LEAST_COUNT = 0.01

export class LearnedWriter {
  readonly #checksums: Checksums
  readonly #sites = new LearnedSites()

  /** Checksums may be those of the writer before. */
  constructor(checksums = new Checksums()) {
    this.#checksums = checksums
  }

  add(counts: readonly SiteCount[]): void {
    for (const count of counts) this.#sites.add(count)
  }

  /** Tells of a previous crawl whose `learned/` could not be used; then only what is new is kept. */
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

  /** What is kept of the crawl before; the nets in a file of their own, where there are any. */
  async #keep(task: LearnedTask, before: LearnedManifest): Promise<LearnedFile[]> {
    const from = (holds: string) =>
      before.files
        .filter(file => file.holds === holds)
        .map(({ name }) => join(task.previous!.directory, FOLDER, name))
    for (const path of from('sites')) for await (const line of linesOf(path)) this.#sites.keep(line)
    return write(task.directory, KEPT_NETS, 'nets', this.#netsStill(from('nets'), task.hasLinks))
  }

  async *#netsStill(paths: readonly string[], hasLinks: boolean): AsyncGenerator<string> {
    for (const path of paths) {
      for await (const line of linesOf(path)) {
        const still = hasLinks ? this.#stillOf(line) : line
        if (still !== null) yield still
      }
    }
  }

  /** A net as it counts beside what is new of its site; null where nothing is left of it. */
  #stillOf(line: string): string | null {
    const tab = line.indexOf('\t')
    const share = this.#sites.netShare(line.slice(tab + 1, line.indexOf(' ', tab)))
    if (share === 1) return line
    const count = Number(line.slice(0, tab)) * share
    return count < LEAST_COUNT ? null : `${Number(count.toFixed(3))}${line.slice(tab)}`
  }
}

/** One file, or none where there is nothing to write. */
async function write(
  directory: string,
  name: string,
  holds: LearnedFile['holds'],
  lines: Iterable<string> | AsyncIterable<string>,
): Promise<LearnedFile[]> {
  const written = await writeLines(join(directory, FOLDER, name), lines)
  return written === null ? [] : [{ name, holds, ...written }]
}

/** Below `learned/`. */
function namesOf({ files }: LearnedTask, kind: string): string[] {
  return files.filter(file => file.kind === kind).map(({ name }) => name.slice(FOLDER.length + 1))
}

/** Machines that were not here this time may be here the next. */
function together(now: readonly AgentAbility[], before: readonly AgentAbility[]): AgentAbility[] {
  const here = new Set(now.map(({ name }) => machineOf(name)))
  return [...now, ...before.filter(({ name }) => !here.has(machineOf(name)))].slice(0, MOST_AGENTS)
}
