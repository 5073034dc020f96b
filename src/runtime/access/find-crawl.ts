/** Finds a crawl by its directory, or by its name in a database. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigError, type CrawlConfig, readSetting } from '../../config/index.js'
import { PairError, pairRelation } from '../../data/store/index.js'
import {
  absolute,
  awaitRecord,
  type CrawlFile,
  checkPairNow,
  crawlName,
  type Distrust,
  distrustOf,
  distrustOfRecord,
  needTrust,
  needTrustInRecord,
  readCrawlFile,
  untrusted,
} from '../directory/index.js'
import { type CrawlInDatabase, inDatabase, type Platform } from '../platform/index.js'

export interface CrawlAddress {
  readonly directory?: string | undefined
  /** postgres://… */
  readonly ledger?: string | undefined
  readonly name?: string | undefined
  /** Path of the store on this machine; `none`: this machine works without the store. */
  readonly store?: string | undefined
  /** `--trust`: the crawl is trusted from now on. */
  readonly trust?: boolean | undefined
}

const NONE = 'none'

export interface FoundCrawl {
  readonly name: string
  readonly file: CrawlFile
  /** The settings of the crawl, with the ledger as this machine reaches it. */
  readonly config: CrawlConfig
  /** The store; null when this machine does not see it. */
  readonly directory: string | null
  /** Null when the ledger is a file. */
  readonly there: CrawlInDatabase | null
  /** Concerns the whole directory, or only the code it names when `isNamedByLedger`. */
  readonly distrust: Distrust
  readonly isNamedByLedger: boolean
}

/**
 * `resume` may continue in a copy of the database and checks itself that the store belongs to its ledger. For
 * all others, a store that does not belong to the ledger is refused if the user named it, and else ignored.
 */
type FindPurpose = 'resume' | 'other'

export async function findCrawl(
  platform: Platform,
  address: CrawlAddress,
  purpose: FindPurpose = 'other',
): Promise<FoundCrawl> {
  const { ledger, name, directory, trust } = address
  if (ledger === undefined) {
    if (directory === undefined)
      throw new ConfigError('name a crawl by its directory, or by --ledger postgres://… and --name')
    if (trust) needTrust(absolute(directory), platform, trust)
    const file = readCrawlFile(directory)
    return found(absolute(directory), file, trust ? null : distrustOf(directory))
  }
  if (directory !== undefined)
    throw new ConfigError('name a crawl by its directory, or by --ledger and --name, not by both')
  if (name === undefined) throw new ConfigError('--ledger needs --name: several crawls share a database')
  return findInDatabase(platform, readSetting('ledger', ledger) ?? '', name, address, purpose)
}

async function findInDatabase(
  platform: Platform,
  ledger: string,
  name: string,
  { store, trust }: CrawlAddress,
  purpose: FindPurpose,
): Promise<FoundCrawl> {
  const asked = { ledger, name } as CrawlConfig
  const opened = await platform.ledgers.openUnchecked(null, asked, purpose === 'resume' ? 'read' : 'refuse')
  try {
    const { file, store: recorded } = await awaitRecord(opened, name, platform.clock)
    if (trust) needTrustInRecord(name, file, platform.clock, trust)
    const distrust = trust ? null : distrustOfRecord(name, file)
    const config = { ...file.config, ledger, name }
    const isPair = async (directory: string) =>
      purpose === 'resume' || (await pairRelation(directory, () => opened.settings())) === 'same'
    let directory: string | null = null
    if (store === undefined && isStoreOf(recorded, file) && (await isPair(recorded))) directory = recorded
    if (store !== undefined && store !== NONE) {
      directory = givenStore(store, file, name)
      if (purpose !== 'resume') await checkPairNow(directory, opened, config)
    }
    return { ...found(directory, file, distrust), isNamedByLedger: true, config, ...of(asked) }
  } finally {
    await opened.close()
  }
}

const of = (config: CrawlConfig) => ({ name: crawlName(config), there: inDatabase(config) })

function found(directory: string | null, file: CrawlFile, distrust: Distrust): FoundCrawl {
  const { config } = file
  return { ...of(config), file, config, directory, distrust, isNamedByLedger: false }
}

/** Throws for commands that change an untrusted crawl, or run what it names. */
export function needTrusted({ distrust, config }: FoundCrawl): void {
  if (distrust !== null) throw untrusted(distrust, config)
}

function givenStore(store: string, file: CrawlFile, name: string): string {
  const directory = absolute(store)
  readCrawlFile(directory)
  if (isStoreOf(directory, file)) return directory
  throw new PairError(`${store} is the directory of another crawl than "${name}"`)
}

/** Whether it is a directory of this crawl, or a copy of one. */
function isStoreOf(directory: string, { createdAt }: CrawlFile): boolean {
  return existsSync(join(directory, 'crawl.json')) && readCrawlFile(directory).createdAt === createdAt
}
