/**
 * Which files a crawl consists of right now. The ledger says it while the crawl runs and after; the manifest stands
 * in where the ledger cannot be opened (on PostgreSQL, read-only, damaged).
 */
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join, relative, resolve, sep } from 'node:path'
import { LEDGER_FILE, LedgerError, openSqliteLedger } from '../cluster/index.js'
import { ConfigError } from '../config/config-error.js'
import { checkPair, locateFile, type Manifest, readManifest } from '../store/index.js'
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
}

interface ListedFile {
  readonly name: string
  readonly kind: string
  readonly bytes: number
}

const LOG_KINDS: Readonly<Record<string, 'pages' | 'links'>> = { 'pages-log': 'pages', 'links-log': 'links' }
const PARQUET_KINDS: Readonly<Record<string, TableName>> = { pages: 'pages', links: 'links', sites: 'sites' }

/** Throws a ConfigError when `dir` is not a crawl. */
export async function listCrawlFiles(dir: string): Promise<CrawlFiles> {
  refuseOthers(dir)
  const listed = (await fromLedger(dir)) ?? fromManifest(dir)
  const parquet: CrawlFiles['parquet'][number][] = []
  const logs: CrawlFiles['logs'][number][] = []
  for (const { name, kind, bytes } of listed.files) {
    const table = PARQUET_KINDS[kind]
    if (table) parquet.push({ table, path: pathInside(dir, name) })
    else if (LOG_KINDS[kind] && bytes > 0)
      logs.push({ table: LOG_KINDS[kind], path: pathInside(dir, name), bytes })
  }
  return { parquet, logs, open: listed.open }
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
}

async function fromLedger(dir: string): Promise<{ files: readonly ListedFile[]; open: boolean } | null> {
  // A ledger that was copied into a database may still be here; the directory goes on with the copy.
  if (isInDatabase(dir)) return null
  try {
    // Listing files asks for no time.
    const path = join(dir, LEDGER_FILE)
    const ledger = openSqliteLedger(path, { create: false, now: () => 0 })
    try {
      await checkPair(dir, `the ledger ${path}`, () => ledger.settings())
      const { open } = await ledger.totals()
      return { files: await ledger.files(), open }
    } finally {
      await ledger.close()
    }
  } catch (error) {
    if (error instanceof LedgerError) return null
    throw error
  }
}

function isInDatabase(dir: string): boolean {
  try {
    const { config } = JSON.parse(readFileSync(join(dir, 'crawl.json'), 'utf8')) as {
      config?: { ledger?: string }
    }
    return config?.ledger !== undefined
  } catch {
    return false
  }
}

function fromManifest(dir: string): { files: readonly ListedFile[]; open: boolean } {
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

/**
 * Where a listed file lies now; a name that leads out of the crawl was not written by us. A file that is gone keeps
 * its name, so that opening it says so.
 */
export function pathInside(dir: string, name: string): string {
  const inside = relative(resolve(dir), resolve(dir, name))
  if (inside === '' || inside.startsWith(`..${sep}`) || inside === '..' || resolve(inside) === inside)
    throw new ConfigError(`${dir} names a file outside of itself: ${name}`)
  return locateFile(dir, name) ?? join(dir, name)
}
