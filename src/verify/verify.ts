/**
 * Compares every file of a crawl directory, running or not, with what was written. Yields a `Damage` for each
 * file that is missing, short, altered or unreadable. Changes nothing and stores nothing.
 */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { systemPlatform } from '../compose/index.js'
import type { CrawlConfig } from '../config/index.js'
import { requireCrawl } from '../data/query/index.js'
import { checkPair, GENERATIONS_FILE, ledgerGenerations } from '../data/store/index.js'
import { MANIFEST, manifestFiles, readManifest } from '../data/store/tables/index.js'
import type { ListedFile } from '../files/index.js'
import type { Ledger } from '../ledger/index.js'
import { LEDGER_FILE } from '../ledger/sqlite/index.js'
import { LEARNED_MANIFEST, learnedFilesOf } from '../plan/learn/index.js'
import { isForeign, openToVerify } from '../runtime/access/index.js'
import { CRAWL_FILE, holdsPages, ledgerNameOf } from '../runtime/directory/index.js'
import { REPORT_FILE, wasConcluded } from '../runtime/session/index.js'
import { checkRecords } from './archive.js'
import type { Damage } from './damage.js'
import { checkJournals, checkLedgerFile } from './ledger.js'
import { ListedFiles, sortForReading } from './listed-files.js'
import { readSmallFile } from './small-files.js'

export interface VerifyOptions {
  /** Compares digests only, without reading WARC records, indexes, rows and journals. */
  readonly quick?: boolean
  /** The directory comes from elsewhere and is trusted from now on. */
  readonly trust?: boolean
  /** Receives a line for what could not be checked. */
  readonly note?: (line: string) => void
  /** Called before each file is read. */
  readonly onFile?: (file: string, bytes: number) => void
}

/**
 * Throws a ConfigError if `directory` is not a crawl, an UntrustedError if it comes from elsewhere and its
 * ledger is in a database, and a PairError if directory and ledger are sound but not a pair.
 */
export async function* verifyDirectory(
  directory: string,
  options: VerifyOptions = {},
): AsyncGenerator<Damage> {
  requireCrawl(directory)
  const crawl = readSmallFile(directory, CRAWL_FILE, 'crawl', true)
  if (crawl.damage) yield crawl.damage
  // A database that a damaged crawl.json names is not contacted.
  const { config = null }: { config?: CrawlConfig | null } = crawl.content ?? {}
  const isHere = config?.ledger === undefined
  if (isHere && !existsSync(join(directory, LEDGER_FILE)) && !holdsPages(directory)) {
    options.note?.(`${LEDGER_FILE} is not there, and nothing was crawled`)
    return
  }
  const state = isHere
    ? checkLedgerFile(directory, isForeign(directory, config, options.trust === true))
    : ({ at: 'clean' } as const)
  if (state.at === 'damaged') {
    yield state.damage
    yield* withoutLedger(directory, options)
    return
  }
  if (state.at === 'unknown') options.note?.(`${LEDGER_FILE}: ${state.why}; SQLite finds it sound`)
  const { ledger, close } = await openToVerify(systemPlatform, directory, config, options.trust === true)
  try {
    yield* checkGenerations(directory, ledger, config)
    yield* withLedger(directory, ledger, state.at === 'clean', options)
  } finally {
    await close()
  }
}

/** Checks the file of generations, by which a directory and its ledger are recognised as a pair. */
async function* checkGenerations(
  directory: string,
  ledger: Ledger,
  config: CrawlConfig | null,
): AsyncGenerator<Damage> {
  const mustExist = ledgerGenerations(await ledger.settings()).length > 0
  const { damage } = readSmallFile(directory, GENERATIONS_FILE, 'generations', mustExist)
  if (damage) yield damage
  else await checkPair(directory, ledgerNameOf(directory, config), () => ledger.settings())
}

async function* withLedger(
  directory: string,
  ledger: Ledger,
  isClean: boolean,
  options: VerifyOptions,
): AsyncGenerator<Damage> {
  const files = await ledger.files()
  const isConcluded = isClean && (await wasConcluded(ledger))
  for await (const damage of checkFiles(directory, files, options)) {
    // A merge may have replaced the file meanwhile.
    const isListed = (await ledger.files()).some(({ name }) => name === damage.file)
    if (isListed) yield damage
  }
  if (!options.quick) yield* checkJournals(ledger)
  const hasTables = files.some(
    ({ kind }) => kind === 'pages' || kind === 'links' || kind === 'items' || kind === 'sites',
  )
  yield* smallFiles(directory, { mustHave: isConcluded, hasTables })
  if (!isConcluded) return
  yield* manifestAgainst(directory, files)
  yield* learnedFiles(directory, files, options)
}

/** Without the ledger, checks the files of a sound manifest, and the WARCs by their own checksums. */
async function* withoutLedger(directory: string, options: VerifyOptions): AsyncGenerator<Damage> {
  const manifest = readManifest(directory)
  if (manifest.ok) yield* checkFiles(directory, manifestFiles(manifest.manifest), options)
  const folder = join(directory, 'archive')
  const warcs = existsSync(folder) ? readdirSync(folder).filter(name => name.includes('.warc')) : []
  for (const name of warcs.sort()) {
    options.onFile?.(`archive/${name}`, 0)
    const wrong = await checkRecords(join(folder, name), undefined, new Map())
    const file = `archive/${name.replace(/\.open$/, '')}`
    if (wrong !== null) yield { file, kind: 'warc', what: 'unreadable', detail: `is damaged: ${wrong}` }
  }
  yield* smallFiles(directory, { mustHave: false, hasTables: false })
}

async function* checkFiles(
  directory: string,
  files: readonly ListedFile[],
  { quick = false, onFile }: VerifyOptions,
): AsyncGenerator<Damage> {
  const listed = new ListedFiles(directory, quick)
  for (const file of sortForReading(files)) {
    if (file.bytes === 0) continue
    // Files are read synchronously: signals such as Ctrl-C arrive between two files.
    await new Promise<void>(resolve => systemPlatform.clock.soon(resolve))
    onFile?.(file.name, file.bytes)
    const damage = await listed.check(file)
    if (damage) yield damage
  }
}

function* smallFiles(
  directory: string,
  { mustHave, hasTables }: { readonly mustHave: boolean; readonly hasTables: boolean },
): Generator<Damage> {
  const all = [
    readSmallFile(directory, MANIFEST, 'manifest', mustHave && hasTables),
    readSmallFile(directory, REPORT_FILE, 'report', mustHave),
    readSmallFile(directory, LEARNED_MANIFEST, 'learned', mustHave),
  ]
  for (const { damage } of all) if (damage) yield damage
}

/** After the end of a crawl, manifest and ledger list the same files. */
function* manifestAgainst(directory: string, files: readonly ListedFile[]): Generator<Damage> {
  const result = readManifest(directory)
  if (!result.ok) return
  const line = ({ name, bytes, crc32 }: ListedFile) => `${name} ${bytes} ${crc32}`
  const tables = files.filter(({ name }) => name.startsWith('tables/')).map(line)
  const same = tables.sort().join('\n') === manifestFiles(result.manifest).map(line).sort().join('\n')
  if (same) return
  yield { file: MANIFEST, kind: 'manifest', what: 'altered', detail: 'lists other files than the ledger' }
}

/**
 * Checks learned files that the ledger does not list: facts of sites, and files kept from the previous crawl.
 */
async function* learnedFiles(
  directory: string,
  known: readonly ListedFile[],
  options: VerifyOptions,
): AsyncGenerator<Damage> {
  const names = new Set(known.map(({ name }) => name))
  const files = learnedFilesOf(directory).filter(({ name }) => !names.has(name))
  yield* checkFiles(
    directory,
    files.map(file => ({ ...file, kind: 'learned-nets' })),
    options,
  )
}
