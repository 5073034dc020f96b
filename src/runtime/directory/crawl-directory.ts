/** The directory of a crawl and its crawl.json. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import {
  ConfigError,
  type CrawlConfig,
  checkConfig,
  pruneState,
  rememberDirectory,
} from '../../config/index.js'
import { writeGenerations } from '../../data/store/index.js'
import { damageError, readSealed, refuseLinks, writeSealed } from '../../files/index.js'
import { LEDGER_FILE } from '../../ledger/sqlite/index.js'
import { type Clock, type Millis, type Random, shellWord, uuid } from '../../model/index.js'
import { hostOf, siteOf } from '../../model/url/index.js'
import { takeLock } from './directory-lock.js'
import { NewerCrawlError } from './errors.js'

/** Version of crawl.json; raised when an older orbweaver could not go on with the crawl. */
const FORMAT = 1
export const CRAWL_FILE = 'crawl.json'

export interface TimeAndRandom {
  readonly clock: Clock
  readonly random: Random
}

export interface CrawlFile {
  readonly format: number
  readonly orbweaver: string
  readonly createdAt: string
  /** Random. The user's state folder remembers under it what was trusted (`trust.ts`). */
  readonly id?: string
  readonly config: CrawlConfig
}

export function defaultDirectory(config: CrawlConfig, now: Millis): string {
  const host = hostOf(siteOf(config.seeds[0])).replace(/[^\w.-]+/g, '_')
  return `${host}-${new Date(now).toISOString().slice(0, 10)}`
}

/** The name of a crawl in file names and in a database. */
export function crawlName({ name, seeds }: CrawlConfig): string {
  return name ?? siteOf(seeds[0])
}

export function newCrawlFile(
  config: CrawlConfig,
  version: string,
  { clock, random }: TimeAndRandom,
): CrawlFile {
  return {
    format: FORMAT,
    orbweaver: version,
    createdAt: new Date(clock.now()).toISOString(),
    id: uuid(random),
    config: withWholePaths(config),
  }
}

/** Makes the directory of a new crawl and writes crawl.json; an existing crawl is never changed. */
export function createDirectory(directory: string, file: CrawlFile, clock: Clock): void {
  checkVacant(directory)
  if (existsSync(directory)) removeBarren(directory)
  else makeFolder(absolute(directory))
  for (const part of ['archive', 'tables/pages', 'tables/links', 'tables/items', 'tables/sites', 'frontier'])
    mkdirSync(join(directory, part), { recursive: true })
  writeGenerations(directory, { generations: [], next: null })
  writeCrawlFile(directory, file, clock)
}

/**
 * The only way to write crawl.json, also when the ledger has moved. The directory stays trusted: a process
 * that writes to it has been trusted before.
 */
export function writeCrawlFile(directory: string, file: CrawlFile, clock: Clock): void {
  writeSealed(join(directory, CRAWL_FILE), CRAWL_FILE, file)
  registerDirectory(absolute(directory), file, clock)
}

/**
 * Remembers a directory by its absolute path, or a crawl by its name, as trusted with its present settings
 * and guest. Without a writable state folder the crawl continues with a warning, and a later resume asks for
 * `--trust`.
 */
export function registerDirectory(place: string, file: CrawlFile, clock: Clock): void {
  try {
    rememberDirectory(place, file, clock.now())
    pruneState(clock.now())
  } catch {
    // `standingOf` finds no entry.
  }
}

/** `resume` may be called from anywhere. */
function withWholePaths(config: CrawlConfig): CrawlConfig {
  const { previous, guest, truth } = config
  return {
    ...config,
    ...(previous === undefined ? {} : { previous: absolute(previous) }),
    ...(guest === undefined ? {} : { guest: absolute(guest) }),
    ...(truth === undefined ? {} : { truth: absolute(truth) }),
  }
}

export function readCrawlFile(directory: string): CrawlFile {
  const path = join(directory, CRAWL_FILE)
  if (!existsSync(directory)) throw new ConfigError(`there is no directory ${directory}`)
  if (!existsSync(path)) throw new ConfigError(`${directory} holds no crawl (no crawl.json in it)`)
  refuseLinks(directory)
  const read = readSealed(path, CRAWL_FILE)
  const damaged = (detail: string) => damageError(directory, CRAWL_FILE, `is damaged: ${detail}`)
  if (read === null) throw damaged('it does not hold a JSON object; restore it from a backup')
  if (read.seal === 'wrong')
    throw damaged('its checksum differs; if you edited it, remove its entry "checksum"')
  const missing = missingIn(read.content as Partial<CrawlFile>)
  if (missing !== null) throw damaged(`${missing}; restore it from a backup`)
  return checkCrawlFile(read.content as CrawlFile, path)
}

/** `name`: where it was read. */
export function checkCrawlFile(file: CrawlFile, name: string): CrawlFile {
  refuseNewer(file, name)
  // crawl.json holds the hosts themselves; `@FILE` would have us read any file.
  if (JSON.stringify(file.config?.blacklist ?? []).includes('@'))
    throw new ConfigError(`${name} names a file as its blacklist; write the hosts into it`)
  try {
    return { ...file, config: checkConfig(file.config) }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    throw new ConfigError(`${name} has a setting that is not right: ${error.message}`)
  }
}

/** What is missing of what every version writes. Of a newer format only its number is known. */
function missingIn({ format, config }: Partial<CrawlFile>): string | null {
  if (!Number.isInteger(format)) return 'it does not say its format'
  if (Number(format) > FORMAT) return null
  const isObject = typeof config === 'object' && config !== null && !Array.isArray(config)
  return isObject ? null : 'it holds no settings'
}

function refuseNewer({ format, orbweaver }: Partial<CrawlFile>, name: string): void {
  if (Number(format) <= FORMAT) return
  const writer =
    typeof orbweaver === 'string' ? `orbweaver ${orbweaver}, which is newer` : 'a newer orbweaver'
  throw new NewerCrawlError(`${name} was written by ${writer}; update orbweaver`)
}

/** One folder at a time: where one cannot be made, as in /proc, Node 20 retries `recursive` for ever. */
function makeFolder(directory: string): void {
  if (!existsSync(dirname(directory))) makeFolder(dirname(directory))
  try {
    mkdirSync(directory)
  } catch (error) {
    throw unmakeable(directory, error)
  }
}

function unmakeable(directory: string, error: unknown): unknown {
  const { code = '' } = error as { code?: string }
  if (code !== 'ENOENT' && code !== 'ENOTDIR' && code !== 'ENAMETOOLONG') return error
  return new ConfigError(`${directory} cannot be made (${code}); choose another place with --out`)
}

function isFolder(directory: string): boolean | null {
  try {
    return statSync(directory, { throwIfNoEntry: false })?.isDirectory() ?? null
  } catch (error) {
    throw unmakeable(directory, error)
  }
}

/** Throws unless the folder is empty or missing, or its crawl never got a page and is not running. */
export function checkVacant(directory: string): void {
  const isThere = isFolder(directory)
  if (isThere === null) return
  if (!isThere) throw new ConfigError(`${directory} is a file; choose another place with --out`)
  const entries = readdirSync(directory)
  if (entries.length === 0) return
  if (!entries.includes('crawl.json'))
    throw new ConfigError(`${directory} is not empty and holds no crawl; choose another place with --out`)
  if (!isBarren(directory)) {
    throw new ConfigError(
      `${directory} already holds a crawl: continue it with "orbweaver resume ${shellWord(directory)}", ` +
        `or crawl again with "--previous ${shellWord(directory)} --out ANOTHER"`,
    )
  }
  // A crawl that has only just begun looks barren too.
  if (entries.includes('lock')) takeLock(directory).release()
}

function removeBarren(directory: string): void {
  for (const entry of readdirSync(directory))
    if (OURS.test(entry)) rmSync(join(directory, entry), { recursive: true })
}

/** Names of what a crawl makes in its directory; nothing else is ever removed. */
const OURS =
  /^(?:crawl\.(?:json|log)|generations\.json|report\.json|lock|ledger\.db.*|archive|tables|frontier|learned)$/
const PAGES_IN = ['archive', 'tables/pages']

/** Whether the directory has files of fetched pages. */
export function holdsPages(directory: string): boolean {
  return PAGES_IN.some(part => {
    const folder = join(directory, part)
    return existsSync(folder) && readdirSync(folder).length > 0
  })
}

/** True when the crawl never began, or ended without one stored page: there is nothing to lose. */
function isBarren(directory: string): boolean {
  if (!existsSync(join(directory, LEDGER_FILE))) return !holdsPages(directory)
  try {
    const report: { pages?: number; bytes?: number } = JSON.parse(
      readFileSync(join(directory, 'report.json'), 'utf8'),
    )
    return report.pages === 0 && report.bytes === 0
  } catch {
    return false
  }
}

export function absolute(directory: string): string {
  return resolve(directory)
}

/** Where the indexes of archives are (`--source`): derived, and kept for `resume`. */
export function indexFolder(directory: string | null, scratch: string): string {
  return join(directory ?? scratch, 'sources')
}
