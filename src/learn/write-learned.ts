/**
 * Writes `learned/` at the end of a run, however it ended: sites from the ledger, with what was noted of their hosts; nets as
 * conversion left them. Values of the crawl before are kept where this one has nothing new: of sites it did not see, and of
 * pages that had not changed, which came without a body.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { LearnedWeb } from '../assign/index.js'
import type { Ledger, SiteSummary } from '../cluster/index.js'
import { siteOfCell } from '../model/cell.js'
import { LIMITS } from '../model/limits.js'
import { writeFileAtomically } from '../store/index.js'
import {
  describeFile,
  FOLDER,
  KEPT_NETS,
  type LearnedTrouble,
  learnedIn,
  linesOf,
  manifestOf,
  manifestPath,
  SITES,
} from './learned-folder.js'
import { noteHost, unknownSite } from './note-host.js'
import { keptWords } from './site-words.js'

/** What is asked of the ledger. */
type Knowledge = Pick<Ledger, 'sites' | 'files'>

type LearnedSite = { -readonly [K in keyof LearnedWeb['sites'][number]]: LearnedWeb['sites'][number][K] }

export interface LearnedTask {
  readonly directory: string
  /** When the crawl was begun, as crawl.json says it. */
  readonly crawl: string
  readonly now: number
  readonly previous: { readonly directory: string; readonly crawl: string } | null
}

const BATCH = 1_000
const LEVEL = 1

/** Tells of a previous crawl whose `learned/` could not be used; then only what is new is kept. */
export async function writeLearned(ledger: Knowledge, task: LearnedTask): Promise<LearnedTrouble | null> {
  const { directory, previous } = task
  mkdirSync(join(directory, FOLDER), { recursive: true })
  const before = previous && learnedIn(previous.directory, previous.crawl)
  const isUsable = before !== null && !('trouble' in before)
  const { sites, whole } = await sitesNow(ledger)
  await noteHosts(directory, await filesOf(ledger, 'learned-hosts'), sites)
  const files = (await filesOf(ledger, 'learned-nets')).map(name => describeFile(directory, name, 'nets'))
  if (isUsable) {
    const from = (holds: string) =>
      before.files
        .filter(file => file.holds === holds)
        .map(({ name }) => join(previous!.directory, FOLDER, name))
    await keepSites(from('sites'), sites, whole)
    if (await keepNets(from('nets'), whole, join(directory, FOLDER, KEPT_NETS)))
      files.push(describeFile(directory, KEPT_NETS, 'nets'))
  }
  writeSites(join(directory, FOLDER, SITES), sites)
  files.unshift(describeFile(directory, SITES, 'sites'))
  const manifest = manifestOf(task.crawl, task.now, sites.size, files)
  writeFileAtomically(manifestPath(directory), `${JSON.stringify(manifest, null, 2)}\n`)
  return before !== null && 'trouble' in before ? before : null
}

interface SitesNow {
  readonly sites: Map<string, LearnedSite>
  /** Those of which nothing is left in a queue: what an earlier crawl knew of them is out of date. */
  readonly whole: Set<string>
}

/** Sites that were asked for anything, by the ledger; cells of one site together. */
async function sitesNow(ledger: Knowledge): Promise<SitesNow> {
  const sites = new Map<string, LearnedSite>()
  const partly = new Set<string>()
  const found = () => ({ sites, whole: new Set([...sites.keys()].filter(site => !partly.has(site))) })
  for (let after = ''; ; ) {
    const batch = await ledger.sites(after, BATCH)
    if (batch.length === 0) return found()
    after = batch[batch.length - 1].cell
    for (const summary of batch) {
      if (summary.lastFetch === 0) continue
      const name = siteOfCell(summary.cell)
      const known = sites.get(name) ?? unknownSite(name)
      if (!sites.has(name) && sites.size >= LIMITS.learnedSites) return found()
      sites.set(name, add(known, summary))
      if (summary.settled < summary.discovered) partly.add(name)
    }
  }
}

function add(known: LearnedSite, { pages, bytes, fetchMs }: SiteSummary): LearnedSite {
  return {
    ...known,
    pages: known.pages + pages,
    bytes: known.bytes + bytes,
    fetchMs: Math.round(known.fetchMs + fetchMs),
  }
}

/** Below `learned/`. */
async function filesOf(ledger: Knowledge, kind: string): Promise<string[]> {
  const files = (await ledger.files()).filter(file => file.kind === kind)
  return files.map(({ name }) => name.slice(FOLDER.length + 1))
}

async function noteHosts(
  directory: string,
  files: readonly string[],
  sites: ReadonlyMap<string, LearnedSite>,
): Promise<void> {
  for (const name of files) {
    for await (const line of linesOf(join(directory, FOLDER, name))) noteHost(line, sites)
  }
}

async function keepSites(
  files: readonly string[],
  sites: Map<string, LearnedSite>,
  whole: ReadonlySet<string>,
): Promise<void> {
  for (const path of files) {
    for await (const line of linesOf(path)) {
      const before = JSON.parse(line) as LearnedSite
      const now = sites.get(before.site)
      if (now) sites.set(before.site, merged(before, now, whole.has(before.site)))
      else if (sites.size < LIMITS.learnedSites) sites.set(before.site, before)
    }
  }
}

/** A page that had not changed came without its body: it still weighs what it weighed. */
function merged(before: LearnedSite, now: LearnedSite, isWhole: boolean): LearnedSite {
  const isLess = !isWhole && now.pages < before.pages
  const unchanged = Math.max(0, now.checked - now.changed)
  const share = before.pages > 0 ? Math.min(1, unchanged / before.pages) : 0
  return {
    ...now,
    // What was left half-way, or failed today, says nothing of the site's size.
    pages: isLess || now.pages === 0 ? before.pages : now.pages,
    bytes: isLess || now.pages === 0 ? before.bytes : Math.round(now.bytes + share * before.bytes),
    fetchMs: isLess || now.fetchMs === 0 ? before.fetchMs : now.fetchMs,
    checked: before.checked + now.checked,
    changed: before.changed + now.changed,
    addresses: now.addresses.length > 0 ? now.addresses : before.addresses,
    connectMs: { ...before.connectMs, ...now.connectMs },
    ...keptWords(before, now, isLess),
  }
}

/** True when there was something to keep. */
async function keepNets(files: readonly string[], seen: ReadonlySet<string>, path: string): Promise<boolean> {
  const members: Buffer[] = []
  let lines: string[] = []
  const flush = () => {
    if (lines.length > 0) members.push(gzipSync(lines.join(''), { level: LEVEL }))
    lines = []
  }
  for (const file of files) {
    for await (const line of linesOf(file)) {
      const start = line.indexOf('\t') + 1
      if (seen.has(line.slice(start, line.indexOf(' ', start)))) continue
      lines.push(`${line}\n`)
      if (lines.length >= LIMITS.notedNets) flush()
    }
  }
  flush()
  if (members.length > 0) writeFileAtomically(path, Buffer.concat(members))
  return members.length > 0
}

function writeSites(path: string, sites: ReadonlyMap<string, LearnedSite>): void {
  const members: Buffer[] = []
  let lines: string[] = []
  for (const site of sites.values()) {
    lines.push(`${JSON.stringify(site)}\n`)
    if (lines.length < BATCH) continue
    members.push(gzipSync(lines.join(''), { level: LEVEL }))
    lines = []
  }
  members.push(gzipSync(lines.join(''), { level: LEVEL }))
  writeFileAtomically(path, Buffer.concat(members))
}
