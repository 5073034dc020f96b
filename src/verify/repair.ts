/**
 * Repairs archive and tables of a crawl directory. In: the damage that `verify` finds. Out: a directory that
 * `verify` finds sound, and the lost URLs, which `resume` fetches again. The order makes an interruption safe
 * at any moment: write new files beside the old ones, link damaged ones into `quarantine/`, reopen lost URLs
 * in the ledger, rename the new files, list them in one transaction. Until that last step the damage is still
 * found, and the next repair starts over.
 */

import { existsSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { locateFile } from '../data/store/index.js'
import { syncDirectory } from '../files/index.js'
import type { FileRow } from '../ledger/index.js'
import { LIMITS } from '../model/index.js'
import { FrontierSpace } from '../page/frontier/index.js'
import type { Damage } from './damage.js'
import { REPAIR_LEASE_MS } from './limits.js'
import { stemOf } from './listed-files.js'
import type { RepairCrawl } from './open-repair.js'
import { type Quarantine, refuseOutside } from './quarantine.js'
import { reopenUrls } from './reopen-urls.js'
import { type RepairedArchive, repairArchive } from './repair-archive.js'
import { type RepairedTables, repairTables } from './repair-tables.js'
import { TableFiles } from './table-files.js'
import { tableSources } from './table-sources.js'

export interface RepairOutcome {
  readonly archives: readonly RepairedArchive[]
  readonly tables: RepairedTables
}

/** Called before each step that changes the directory or the ledger. */
export type OnStep = (step: RepairStep) => void
type RepairStep = 'keep' | 'reopen' | 'place' | 'list' | 'remove' | 'describe'

const TABLE_KINDS: ReadonlySet<Damage['kind']> = new Set(['parquet', 'rows'])

/** Repairs archive and tables; the ledger and crawl.json are sound. */
export async function repairStore(
  crawl: RepairCrawl,
  damage: readonly Damage[],
  quarantine: Quarantine,
  onStep: OnStep,
): Promise<RepairOutcome> {
  const files = await crawl.ledger.files()
  const damaged = new Map(damage.map(found => [found.file, found]))
  refuseOutside(crawl.directory, [...files.map(({ name }) => name), ...learnedOf(damaged)])
  const archives = await repairArchives(crawl, damaged)
  const tables = await rebuildTables(crawl, damaged, archives)
  const outcome = { archives, tables }
  if (crawl.isDry) return outcome
  onStep('keep')
  keepOld(quarantine, outcome, damaged)
  onStep('reopen')
  if (tables.lost.length > 0) await reopenLost(crawl, tables)
  onStep('place')
  for (const { name, newPath } of archives.flatMap(archive => archive.files))
    place(crawl.directory, name, newPath)
  onStep('list')
  const gone = goneFiles(outcome, damaged)
  const made = [...tables.made, ...archives.flatMap(({ rows }) => rows)]
  if (gone.length + made.length > 0) await list(crawl, gone, made)
  onStep('remove')
  for (const name of gone) remove(crawl.directory, name)
  return outcome
}

/** A WARC and its index are repaired together. */
async function repairArchives(
  crawl: RepairCrawl,
  damaged: ReadonlyMap<string, Damage>,
): Promise<RepairedArchive[]> {
  const files = await crawl.ledger.files()
  const repaired: RepairedArchive[] = []
  for (const warc of files.filter(({ kind, bytes }) => kind === 'warc' && bytes > 0)) {
    const index = files.find(({ name }) => name === `${stemOf(warc.name)}.cdxj`)
    if (!damaged.has(warc.name) && !(index && damaged.has(index.name))) continue
    // A sound index has all offsets; without one, the page rows have them.
    const isIndexed = index !== undefined && !damaged.has(index.name)
    const places = isIndexed ? [] : await placesInRows(crawl, warc.name, files, damaged)
    repaired.push(await repairArchive({ ...crawl, warc, index, places }))
  }
  return repaired
}

async function placesInRows(
  { directory, scratch }: RepairCrawl,
  warc: string,
  files: readonly FileRow[],
  damaged: ReadonlyMap<string, Damage>,
): Promise<number[]> {
  const tables = await TableFiles.open(scratch)
  try {
    const places: number[] = []
    const sources = tableSources({ directory, scratch, files, damaged: new Set(damaged.keys()) }, 'pages')
    for (const { path } of sources) if (path !== null) places.push(...(await tables.placesIn(path, warc)))
    return places
  } finally {
    await tables.close()
  }
}

async function rebuildTables(
  crawl: RepairCrawl,
  damaged: ReadonlyMap<string, Damage>,
  archives: readonly RepairedArchive[],
): Promise<RepairedTables> {
  const { directory, scratch, ledger } = crawl
  const files = await ledger.files()
  const newPaths = new Map(archives.flatMap(archive => archive.files).map(file => [file.name, file.newPath]))
  const space = new FrontierSpace({
    folder: join(scratch, 'sets'),
    seenBytes: LIMITS.countBytes,
    queueBytes: LIMITS.queueBytes,
    salt: crawl.salt,
  })
  try {
    return await repairTables({
      ...crawl,
      space,
      files,
      damaged: new Set(
        [...damaged.values()].filter(({ kind }) => TABLE_KINDS.has(kind)).map(({ file }) => file),
      ),
      archives: files
        .filter(({ kind, bytes }) => kind === 'warc' && bytes > 0)
        .flatMap(({ name, bytes }) => {
          const path = newPaths.get(name) ?? locateFile(directory, name)
          return path === null ? [] : [{ name, path, bytes }]
        }),
      lostPlaces: archives.flatMap(({ warc, damaged: ranges }) => ranges.map(range => ({ warc, ...range }))),
      lostUrls: new Set(archives.flatMap(({ lost }) => lost)),
    })
  } finally {
    space.close()
  }
}

function keepOld(quarantine: Quarantine, outcome: RepairOutcome, damaged: ReadonlyMap<string, Damage>): void {
  const why = (name: string) => damaged.get(name)?.detail ?? 'named rows or records that are lost'
  const { archives, tables } = outcome
  for (const { files, gone } of archives)
    for (const name of [...files.map(file => file.name), ...gone]) quarantine.keep(name, why(name))
  for (const name of [...tables.replaced, ...learnedOf(damaged)]) quarantine.keep(name, why(name))
}

function learnedOf(damaged: ReadonlyMap<string, Damage>): string[] {
  return [...damaged.values()].filter(({ kind }) => kind === 'learned').map(({ file }) => file)
}

async function reopenLost(
  { ledger, incarnation, config }: RepairCrawl,
  { lost }: RepairedTables,
): Promise<void> {
  await ledger.reopen()
  await reopenUrls({ ledger, incarnation, grouping: config.group, leaseMs: REPAIR_LEASE_MS }, lost)
}

/** Atomic: readers find the old file or the new one. */
function place(directory: string, name: string, newPath: string): void {
  const path = join(directory, name)
  const old = locateFile(directory, name)
  renameSync(newPath, path)
  if (old !== null && old !== path) rmSync(old, { force: true })
  syncDirectory(dirname(path))
}

function goneFiles({ archives, tables }: RepairOutcome, damaged: ReadonlyMap<string, Damage>): string[] {
  return [...tables.replaced, ...archives.flatMap(({ gone }) => gone), ...learnedOf(damaged)]
}

async function list(
  { ledger, seat }: RepairCrawl,
  gone: readonly string[],
  made: RepairedTables['made'],
): Promise<void> {
  const listed = new Set((await ledger.files()).map(({ name }) => name))
  const swapped = await ledger.swapFiles(
    gone.filter(name => listed.has(name)),
    made,
    seat,
  )
  if (!swapped) throw new Error('the list of files in the ledger has changed meanwhile; run repair again')
}

function remove(directory: string, name: string): void {
  const path = locateFile(directory, name)
  if (path === null) return
  rmSync(path, { force: true })
  if (existsSync(dirname(path))) syncDirectory(dirname(path))
}
