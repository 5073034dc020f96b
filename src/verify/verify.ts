/**
 * Reads every file of a crawl directory and compares it with what was written. In: a directory, crawling or
 * not. Out: one `Damage` for each file that is missing, short, altered or unreadable. Nothing is changed and
 * nothing is remembered.
 */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { systemPlatform } from '../compose/index.js'
import { ConfigError, type CrawlConfig } from '../config/index.js'
import { checkPair, GENERATIONS_FILE, ledgerGenerations } from '../data/store/index.js'
import { listedIn, MANIFEST, readManifest } from '../data/store/tables/index.js'
import { type ListedFile, refuseLinks } from '../files/index.js'
import type { Ledger } from '../ledger/index.js'
import { LEDGER_FILE } from '../ledger/sqlite/index.js'
import { LEARNED_MANIFEST, learnedFilesOf } from '../plan/learn/index.js'
import { isForeign, openToVerify } from '../runtime/access/index.js'
import { CRAWL_FILE, holdsPages, ledgerNameOf } from '../runtime/directory/index.js'
import { REPORT_FILE, wasConcluded } from '../runtime/session/index.js'
import { checkRecords } from './archive.js'
import type { Damage } from './damage.js'
import { checkJournals, checkLedgerFile } from './ledger.js'
import { inReadingOrder, ListedFiles } from './listed-files.js'
import { readSmallFile } from './small-files.js'

export interface VerifyOptions {
  /** Compare digests only; do not read WARC records, indexes, rows and journals one by one. */
  readonly quick?: boolean
  /** The directory comes from elsewhere and is trusted from now on. */
  readonly trust?: boolean
  /** Told, in one line, what could not be checked. */
  readonly note?: (line: string) => void
  /** Told of each file that is about to be read. */
  readonly onFile?: (file: string, bytes: number) => void
}

/**
 * Throws a ConfigError when `directory` is not a crawl, an UntrustedError when it comes from elsewhere and
 * its ledger is in a database, and a PairError when directory and ledger are sound but do not belong
 * together.
 */
export async function* verifyDirectory(
  directory: string,
  options: VerifyOptions = {},
): AsyncGenerator<Damage> {
  refuseOthers(directory)
  refuseLinks(directory)
  const crawl = readSmallFile(directory, CRAWL_FILE, 'crawl', true)
  if (crawl.damage) yield crawl.damage
  // A damaged crawl.json may name a database: it is not asked.
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

/** The chain that says which ledger the directory belongs to. */
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
    // A merge may have replaced it since it was listed.
    const isListed = (await ledger.files()).some(({ name }) => name === damage.file)
    if (isListed) yield damage
  }
  if (!options.quick) yield* checkJournals(ledger)
  const hasTables = files.some(({ kind }) => kind === 'pages' || kind === 'links' || kind === 'sites')
  yield* smallFiles(directory, { mustHave: isConcluded, hasTables })
  if (!isConcluded) return
  yield* manifestAgainst(directory, files)
  yield* learnedFiles(directory, files, options)
}

/**
 * Nothing says which files there should be: the manifest where it is sound, and what the WARCs say of
 * themselves.
 */
async function* withoutLedger(directory: string, options: VerifyOptions): AsyncGenerator<Damage> {
  const manifest = readManifest(directory)
  if (manifest.ok) yield* checkFiles(directory, listedIn(manifest.manifest), options)
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
  for (const file of inReadingOrder(files)) {
    if (file.bytes === 0) continue
    // Files are read without a pause: Ctrl-C is seen between two of them.
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

/** After the end both list the same. */
function* manifestAgainst(directory: string, files: readonly ListedFile[]): Generator<Damage> {
  const result = readManifest(directory)
  if (!result.ok) return
  const line = ({ name, bytes, crc32 }: ListedFile) => `${name} ${bytes} ${crc32}`
  const tables = files.filter(({ name }) => name.startsWith('tables/')).map(line)
  const same = tables.sort().join('\n') === listedIn(result.manifest).map(line).sort().join('\n')
  if (same) return
  yield { file: MANIFEST, kind: 'manifest', what: 'altered', detail: 'lists other files than the ledger' }
}

/** Those that the ledger does not list: what was learned of sites, and what was kept of the crawl before. */
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

function refuseOthers(directory: string): void {
  if (!existsSync(directory)) throw new ConfigError(`there is no directory ${directory}`)
  if (![CRAWL_FILE, LEDGER_FILE, MANIFEST].some(name => existsSync(join(directory, name))))
    throw new ConfigError(`${directory} is not a crawl: it has no ${CRAWL_FILE}`)
}
