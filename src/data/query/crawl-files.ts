/**
 * Lists the files of a crawl. The ledger has the list; if it is in a database or cannot be read, the manifest
 * is used, provided that it accounts for every table file in the directory.
 */
import { existsSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { ConfigError, standingOf } from '../../config/index.js'
import { type CheckedFiles, type ListedFile, pathInside, readSealed, refuseLinks } from '../../files/index.js'
import { type Ledger, LedgerError } from '../../ledger/index.js'
import { LEDGER_FILE, ledgerProblem, openLedgerToRead, withLedgerCopy } from '../../ledger/sqlite/index.js'
import { checkPair, locateFile } from '../store/index.js'
import type { RowTable } from '../store/tables/index.js'
import type { TableName } from './columns.js'
import { fromManifest } from './manifest-files.js'

export interface CrawlFiles {
  readonly parquet: readonly PlacedFile<TableName>[]
  /** Logs of rows that are not in Parquet yet; only the first `bytes` are committed. */
  readonly logs: readonly PlacedFile<RowTable>[]
  /** The crawl's guest, whose name is another name of its items; null without one. */
  readonly guest: string | null
  /** The crawl may be running: files may be merged while they are read, and a sites file is out of date. */
  readonly open: boolean
  /** Nothing may be written there, not even beside the tables. */
  readonly isForeign: boolean
}

interface PlacedFile<Table> {
  readonly table: Table
  readonly path: string
  readonly listed: ListedFile
}

/** The list of a ledger or a manifest. */
export interface Listing {
  readonly files: readonly ListedFile[]
  readonly open: boolean
}

const LOG_KINDS: Readonly<Record<string, RowTable>> = {
  'pages-log': 'pages',
  'links-log': 'links',
  'items-log': 'items',
}
const PARQUET_KINDS: Readonly<Record<string, TableName>> = {
  pages: 'pages',
  links: 'links',
  items: 'items',
  sites: 'sites',
}

/**
 * Throws a DamageError when neither ledger nor manifest is sound. `note` receives a line when the list is not
 * the ledger's.
 */
export async function listCrawlFiles(
  dir: string,
  checked: CheckedFiles,
  note: (line: string) => void,
): Promise<CrawlFiles> {
  const file = crawlFileIn(dir)
  const isForeign = file === null || standingOf(file).at !== 'known'
  const isInDatabase = file?.config.ledger !== undefined
  const listing = isInDatabase
    ? fromManifest(dir, 'in-database', note)
    : await listingOf(dir, isForeign, checked, note)
  const parquet: CrawlFiles['parquet'][number][] = []
  const logs: CrawlFiles['logs'][number][] = []
  for (const listed of listing.files) {
    const { name, kind, bytes } = listed
    const table = PARQUET_KINDS[kind]
    if (table) parquet.push({ table, path: pathOf(dir, name), listed })
    else if (LOG_KINDS[kind] && bytes > 0)
      logs.push({ table: LOG_KINDS[kind], path: pathOf(dir, name), listed })
  }
  const guest =
    file?.config.guest === undefined ? null : basename(String(file.config.guest)).replace(/\.\w+$/, '')
  return { parquet, logs, guest, open: listing.open, isForeign }
}

async function listingOf(
  dir: string,
  isForeign: boolean,
  checked: CheckedFiles,
  note: (line: string) => void,
): Promise<Listing> {
  if (!existsSync(join(dir, LEDGER_FILE))) return fromManifest(dir, 'missing', note)
  const problem = ledgerProblem(dir, checked)
  if (problem) return fromManifest(dir, problem, note)
  try {
    return await fromLedger(dir, isForeign)
  } catch (error) {
    if (!(error instanceof LedgerError)) throw error
    return fromManifest(dir, { file: LEDGER_FILE, detail: reasonOf(error) }, note)
  }
}

function reasonOf(error: LedgerError): string {
  return error.kind === 'corrupt' ? 'is damaged: SQLite cannot read it' : `cannot be read: ${error.message}`
}

/** Throws a ConfigError when `dir` is not a crawl. */
export function requireCrawl(dir: string): void {
  const stats = statSync(dir, { throwIfNoEntry: false })
  if (!stats) throw new ConfigError(`there is no directory ${dir}`)
  if (!stats.isDirectory()) throw new ConfigError(`${dir} is a file; give the directory of a crawl`)
  const marks = ['crawl.json', LEDGER_FILE, 'tables/manifest.json']
  if (!marks.some(mark => existsSync(join(dir, mark))))
    throw new ConfigError(
      `${dir} is not a crawl: it has no crawl.json; give a directory that orbweaver crawl has written`,
    )
  refuseLinks(dir)
}

interface Known {
  readonly id?: string | undefined
  readonly config: { readonly ledger?: string | undefined; readonly guest?: string | undefined }
}

/** Null where there is no crawl.json, or one that cannot be read. */
function crawlFileIn(dir: string): Known | null {
  const path = join(dir, 'crawl.json')
  if (!existsSync(path)) return null
  const read = readSealed(path, 'crawl.json')
  const { id, config }: Partial<Known> = read?.content ?? {}
  return read?.seal !== 'wrong' && typeof config === 'object' && config !== null ? { id, config } : null
}

async function fromLedger(dir: string, isForeign: boolean): Promise<Listing> {
  const path = join(dir, LEDGER_FILE)
  const listing = async (ledger: Ledger): Promise<Listing> => {
    await checkPair(dir, `the ledger ${path}`, () => ledger.settings())
    const { open } = await ledger.crawlState()
    return { files: await ledger.files(), open }
  }
  // Listing files asks for no time.
  const now = () => 0
  if (isForeign) return withLedgerCopy(path, now, listing)
  const ledger = openLedgerToRead(path, now)
  return listing(ledger).finally(() => ledger.close())
}

/**
 * The present path of a listed file. A missing file keeps its name, so that opening it fails with that name.
 */
export function pathOf(dir: string, name: string): string {
  return locateFile(dir, name) ?? pathInside(dir, name)
}
