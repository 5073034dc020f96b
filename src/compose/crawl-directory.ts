/** The folder of a crawl: made once, refused when it is something else, found again by `resume`. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { ConfigError, type CrawlConfig, checkConfig, pruneState, rememberDirectory } from '../config/index.js'
import { writeGenerations } from '../data/store/index.js'
import { damageError, readSealed, refuseLinks, writeSealed } from '../files/index.js'
import { LEDGER_FILE } from '../ledger/sqlite/index.js'
import { type Millis, shellWord, uuid } from '../model/index.js'
import { hostOf, siteOf } from '../model/url/index.js'
import { NewerCrawlError, takeLock } from '../runtime/index.js'
import { systemClock as clock } from './system-clock.js'
import { systemRandom as random } from './system-random.js'

/** Version of crawl.json; raised when an older orbweaver could not go on with the crawl. */
const FORMAT = 1
export const CRAWL_FILE = 'crawl.json'

export interface CrawlFile {
  readonly format: number
  readonly orbweaver: string
  readonly createdAt: string
  /** Of this directory, random: under it the user's state folder remembers what was trusted (`trust.ts`). */
  readonly id?: string
  readonly config: CrawlConfig
}

export function defaultDirectory(config: CrawlConfig, now: Millis): string {
  const host = hostOf(siteOf(config.seeds[0])).replace(/[^\w.-]+/g, '_')
  return `${host}-${new Date(now).toISOString().slice(0, 10)}`
}

/** In file names, and in a database. */
export function crawlName({ name, seeds }: CrawlConfig): string {
  return name ?? siteOf(seeds[0])
}

/** What crawl.json of a new crawl says. */
export function newCrawlFile(config: CrawlConfig, version: string, now: Millis): CrawlFile {
  return {
    format: FORMAT,
    orbweaver: version,
    createdAt: new Date(now).toISOString(),
    id: uuid(random),
    config: withWholePaths(config),
  }
}

/** Makes the folder of a new crawl and writes crawl.json; an existing crawl is never touched. */
export function createDirectory(directory: string, file: CrawlFile): void {
  checkVacant(directory)
  if (existsSync(directory)) removeBarren(directory)
  else makeFolder(absolute(directory))
  for (const part of ['archive', 'tables/pages', 'tables/links', 'tables/sites', 'frontier'])
    mkdirSync(join(directory, part), { recursive: true })
  writeGenerations(directory, { generations: [], next: null })
  writeCrawlFile(directory, file)
}

/**
 * The one way to write crawl.json, also when the ledger has moved: whoever changes it has been trusted with
 * the directory, and stays trusted.
 */
export function writeCrawlFile(directory: string, file: CrawlFile): void {
  writeSealed(join(directory, CRAWL_FILE), CRAWL_FILE, file)
  registerDirectory(absolute(directory), file)
}

/**
 * Remembers a directory by its absolute path, or a crawl by its name, with its present settings and hooks, as
 * one of this user. Without a writable state folder the crawl goes on (`session.ts` warns), and a later
 * resume asks for `--trust`.
 */
export function registerDirectory(place: string, file: CrawlFile): void {
  try {
    rememberDirectory(place, file, clock.now())
    pruneState(clock.now())
  } catch {
    // `standingOf` finds no entry.
  }
}

/** `resume` may be called from anywhere. */
function withWholePaths(config: CrawlConfig): CrawlConfig {
  const { previous, hooks, truth } = config
  return {
    ...config,
    ...(previous === undefined ? {} : { previous: absolute(previous) }),
    ...(hooks === undefined ? {} : { hooks: absolute(hooks) }),
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

/** What every version writes; of a newer one nothing but its number is known. */
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

/** One by one: where a folder cannot be made, as in /proc, Node 20 tries `recursive` for ever. */
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

/**
 * Changes nothing. An empty folder, or a crawl that never got a page and is not running, may be used again.
 */
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

/** What a crawl makes in its folder: nothing else is ever removed. */
const OURS =
  /^(?:crawl\.(?:json|log)|generations\.json|report\.json|lock|ledger\.db.*|archive|tables|frontier|learned)$/
const PAGES_IN = ['archive', 'tables/pages']

/** Whether anything that was fetched is there. */
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
