/**
 * Which files a crawl consists of right now. The ledger says it while the crawl runs and after; the manifest stands
 * in where the ledger cannot be opened (on PostgreSQL, read-only, damaged).
 */
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { LEDGER_FILE, type Ledger, LedgerError, openSqliteLedger, withLedgerCopy } from '../cluster/index.js'
import { ConfigError } from '../config/config-error.js'
import { standingOf } from '../config/known-directories.js'
import {
  checkPair,
  locateFile,
  type Manifest,
  pathInside,
  readManifest,
  readTextFile,
  refuseLinks,
} from '../store/index.js'
import type { TableName } from './columns.js'

export interface CrawlFiles {
  readonly parquet: readonly { readonly table: TableName; readonly path: string }[]
  /** Rows that are not in Parquet yet; only the first `bytes` are committed. */
  readonly logs: readonly {
    readonly table: 'pages' | 'links'
    readonly path: string
    readonly bytes: number
  }[]
  /** The crawl may go on: files may be merged while we read, and a sites file is out of date. */
  readonly open: boolean
  /** Nothing may be written there, not even beside the tables. */
  readonly isForeign: boolean
}

interface ListedFile {
  readonly name: string
  readonly kind: string
  readonly bytes: number
}

interface Listing {
  readonly files: readonly ListedFile[]
  readonly open: boolean
}

const LOG_KINDS: Readonly<Record<string, 'pages' | 'links'>> = { 'pages-log': 'pages', 'links-log': 'links' }
const PARQUET_KINDS: Readonly<Record<string, TableName>> = { pages: 'pages', links: 'links', sites: 'sites' }

/** Throws a ConfigError when `dir` is not a crawl. */
export async function listCrawlFiles(dir: string): Promise<CrawlFiles> {
  refuseOthers(dir)
  const file = crawlFileIn(dir)
  const isForeign = file === null || standingOf(file).at !== 'known'
  const listed = (await fromLedger(dir, file, isForeign)) ?? fromManifest(dir)
  const parquet: CrawlFiles['parquet'][number][] = []
  const logs: CrawlFiles['logs'][number][] = []
  for (const { name, kind, bytes } of listed.files) {
    const table = PARQUET_KINDS[kind]
    if (table) parquet.push({ table, path: pathOf(dir, name) })
    else if (LOG_KINDS[kind] && bytes > 0)
      logs.push({ table: LOG_KINDS[kind], path: pathOf(dir, name), bytes })
  }
  return { parquet, logs, open: listed.open, isForeign }
}

function refuseOthers(dir: string): void {
  const stats = statSync(dir, { throwIfNoEntry: false })
  if (!stats) throw new ConfigError(`there is no directory ${dir}`)
  if (!stats.isDirectory()) throw new ConfigError(`${dir} is a file; give the directory of a crawl`)
  const marks = ['crawl.json', LEDGER_FILE, 'tables/manifest.json']
  if (!marks.some(mark => existsSync(join(dir, mark))))
    throw new ConfigError(
      `${dir} is not a crawl: it has no crawl.json; give the directory that orbweaver crawl made`,
    )
  refuseLinks(dir)
}

interface Known {
  readonly id?: string | undefined
  readonly config: { readonly ledger?: string | undefined }
}

/** Null where there is no crawl.json, or one that cannot be read. */
function crawlFileIn(dir: string): Known | null {
  const path = join(dir, 'crawl.json')
  if (!existsSync(path)) return null
  try {
    const { id, config } = JSON.parse(readTextFile(path)) as Known
    return typeof config === 'object' && config !== null ? { id, config } : null
  } catch {
    return null
  }
}

async function fromLedger(dir: string, file: Known | null, isForeign: boolean): Promise<Listing | null> {
  // A ledger that was copied into a database may still be here; the directory goes on with the copy.
  if (file?.config.ledger !== undefined) return null
  const path = join(dir, LEDGER_FILE)
  const listing = async (ledger: Ledger): Promise<Listing> => {
    await checkPair(dir, `the ledger ${path}`, () => ledger.settings())
    const { open } = await ledger.totals()
    return { files: await ledger.files(), open }
  }
  // Listing files asks for no time.
  const now = () => 0
  try {
    if (isForeign) return await withLedgerCopy(path, now, listing)
    const ledger = openSqliteLedger(path, { create: false, now })
    return await listing(ledger).finally(() => ledger.close())
  } catch (error) {
    if (error instanceof LedgerError) return null
    throw error
  }
}

function fromManifest(dir: string): Listing {
  const result = readManifest(dir)
  if (!result.ok) {
    if (result.why === 'missing') return { files: [], open: true }
    throw new ConfigError(result.message)
  }
  const files = Object.entries(result.manifest.tables).flatMap(([table, { files, logs }]) => [
    ...files.map(file => ({ ...file, kind: table })),
    ...logs.map(log => ({ ...log, kind: `${table}-log` })),
  ])
  return { files, open: hasLogs(result.manifest) }
}

/** At the end of a crawl all rows are in Parquet. */
function hasLogs({ tables }: Manifest): boolean {
  return Object.values(tables).some(({ logs }) => logs.length > 0)
}

/** Where a listed file lies now. A file that is gone keeps its name, so that opening it says so. */
export function pathOf(dir: string, name: string): string {
  return locateFile(dir, name) ?? pathInside(dir, name)
}
