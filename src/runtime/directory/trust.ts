/**
 * Whether a crawl directory is trusted. Its crawl.json names code to run and a database to send a password
 * to, so it is untrusted input. A directory is trusted when this user made it or gave `--trust`, and nothing
 * that matters has changed since (`config/known-directories.ts`). Any other directory is only read.
 */
import { join } from 'node:path'
import {
  type CrawlConfig,
  hashOfFile,
  type Standing,
  standingOf,
  UntrustedError,
} from '../../config/index.js'
import { readSealed } from '../../files/index.js'
import { type Clock, uuid } from '../../model/index.js'
import {
  absolute,
  CRAWL_FILE,
  type CrawlFile,
  readCrawlFile,
  registerDirectory,
  type TimeAndRandom,
  writeCrawlFile,
} from './crawl-directory.js'

/** Why a crawl is not trusted, as the beginning of a sentence; null when it is. */
export type Distrust = string | null

export function distrustOf(directory: string): Distrust {
  return reasonOf(directory, standingOf(claimIn(directory)))
}

/**
 * For a crawl that the user named by its ledger. The user trusts the database and the settings in it, but not
 * code: a guest runs only if its path and content are known, in a sandbox or not.
 */
export function distrustOfRecord(name: string, file: CrawlFile): Distrust {
  return file.config.guest === undefined ? null : reasonOf(`the crawl "${name}"`, standingOf(file))
}

/**
 * With `isTrusting`, trusts the directory from now on; otherwise throws an UntrustedError unless it is
 * trusted.
 */
export function needTrust(directory: string, { clock, random }: TimeAndRandom, isTrusting = false): void {
  const { config } = readCrawlFile(directory)
  const why = distrustOf(directory)
  if (why !== null && !isTrusting) throw untrusted(why, config)
  const claim = claimIn(directory)
  if (claim.id === undefined) writeCrawlFile(absolute(directory), { ...claim, id: uuid(random) }, clock)
  else registerDirectory(absolute(directory), claim, clock)
}

/**
 * For a crawl.json that is to be restored from the ledger in its directory, which is untrusted input too.
 * With `isTrusting` the caller writes it, which makes it trusted.
 */
export function needTrustInCopy(directory: string, file: CrawlFile, isTrusting: boolean): void {
  const why = reasonOf(directory, standingOf(file))
  if (why !== null && !isTrusting) throw untrusted(why, file.config)
}

/** Like `needTrust`, for the record of a crawl in its ledger. */
export function needTrustInRecord(name: string, file: CrawlFile, clock: Clock, isTrusting = false): void {
  const why = distrustOfRecord(name, file)
  if (why === null) return
  if (!isTrusting) throw untrusted(why, file.config)
  registerDirectory(name, file, clock)
}

export function untrusted(why: string, config: CrawlConfig): UntrustedError {
  const effects = [
    ...(config.guest === undefined ? [] : [`run ${guestNamed(config)}`]),
    ...config.source.map(source => `read from ${source.slice(source.indexOf('=') + 1)}`),
    ...(config.ledger === undefined ? [] : [`connect to ${config.ledger}`]),
  ]
  const what = effects.length === 0 ? 'crawl with the settings of its crawl.json' : effects.join(' and ')
  return new UntrustedError(`${why}; this would ${what}`, true)
}

/**
 * The directory that crawl.json names as its previous crawl. Throws when the directory is not trusted: a
 * foreign directory does not decide what else is read on this machine.
 */
export function previousOf(directory: string): string | undefined {
  const { previous } = readCrawlFile(directory).config
  const why = previous === undefined ? null : distrustOf(directory)
  if (why !== null) throw new Error(why)
  return previous
}

/** Shown before a module is loaded, so that the user sees which code runs. */
export function guestNamed({ guest = '', trusted }: Pick<CrawlConfig, 'guest' | 'trusted'>): string {
  const rights = trusted ? 'with all your rights' : 'in a sandbox'
  return `the guest ${guest} (sha256 ${hashOfFile(guest) ?? 'unknown: it cannot be read'}) ${rights}`
}

function reasonOf(what: string, standing: Standing): Distrust {
  switch (standing.at) {
    case 'known':
      return null
    case 'unknown':
      return `${what} was not made by you on this machine, and you have not trusted it yet`
    case 'changed':
      return `${what} has changed since you made or trusted it (changed: ${standing.settings.join(', ')})`
  }
}

/** The content as written, so that settings that a newer version adds do not count as changes. */
function claimIn(directory: string): CrawlFile {
  return readSealed(join(directory, CRAWL_FILE), CRAWL_FILE)?.content as CrawlFile
}
