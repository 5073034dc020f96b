/** A crawl as a user names it: by its directory, or by its ledger in a database and its name there. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Ledger } from '../cluster/index.js'
import { ConfigError, type CrawlConfig, FIELDS } from '../config/index.js'
import { absolute, type CrawlFile, crawlName, readCrawlFile } from './crawl-directory.js'
import { awaitRecord, readRecord } from './crawl-record.js'
import { type CrawlInDatabase, inDatabase, openLedger } from './open-ledger.js'
import {
  type Distrust,
  distrustOf,
  distrustOfRecord,
  needTrust,
  needTrustInRecord,
  untrusted,
} from './trust.js'

export interface CrawlAddress {
  readonly directory?: string | undefined
  /** postgres://… */
  readonly ledger?: string | undefined
  readonly name?: string | undefined
  /** Where this machine sees the store; `none`: it is to do without. */
  readonly store?: string | undefined
  /** `--trust`: what is found is trusted from now on. */
  readonly trust?: boolean | undefined
}

const NONE = 'none'

export interface FoundCrawl {
  readonly name: string
  readonly file: CrawlFile
  /** As asked for, with the ledger as this machine reaches it. */
  readonly config: CrawlConfig
  /** The store; null when this machine does not see it. */
  readonly directory: string | null
  /** Null when the ledger is a file. */
  readonly there: CrawlInDatabase | null
  /** Of all that the directory says; only of the code it names when `isNamedByLedger`. */
  readonly distrust: Distrust
  readonly isNamedByLedger: boolean
}

export async function findCrawl(address: CrawlAddress): Promise<FoundCrawl> {
  const { ledger, name, directory, trust } = address
  if (ledger === undefined) {
    if (directory === undefined)
      throw new ConfigError('name a crawl by its directory, or by --ledger postgres://… and --name')
    if (trust) needTrust(absolute(directory), trust)
    const file = readCrawlFile(directory)
    return found(absolute(directory), file, trust ? null : distrustOf(directory))
  }
  if (directory !== undefined)
    throw new ConfigError('name a crawl by its directory, or by --ledger and --name, not by both')
  if (name === undefined) throw new ConfigError('--ledger needs --name: several crawls share a database')
  return findInDatabase(readLedger(ledger), name, address)
}

async function findInDatabase(
  ledger: string,
  name: string,
  { store, trust }: CrawlAddress,
): Promise<FoundCrawl> {
  const config = { ledger, name } as CrawlConfig
  const opened = await openLedger('', config)
  try {
    const record = await awaitRecord(opened, name)
    if (trust) needTrustInRecord(name, record.file, trust)
    const directory =
      store === NONE ? null : store === undefined ? seenStore(record) : givenStore(store, record.file, name)
    return {
      ...found(directory, record.file, trust ? null : distrustOfRecord(name, record.file)),
      isNamedByLedger: true,
      config: { ...record.file.config, ledger, name },
      ...of(config),
    }
  } finally {
    await opened.close()
  }
}

const of = (config: CrawlConfig) => ({ name: crawlName(config), there: inDatabase(config) })

function found(directory: string | null, file: CrawlFile, distrust: Distrust): FoundCrawl {
  const { config } = file
  return { ...of(config), file, config, directory, distrust, isNamedByLedger: false }
}

/** For commands that change the crawl, or run what it names. */
export function needTrusted({ distrust, config }: FoundCrawl): void {
  if (distrust !== null) throw untrusted(distrust, config)
}

function readLedger(text: string): string {
  try {
    return FIELDS.ledger.read(text, '--ledger') ?? ''
  } catch (error) {
    throw new ConfigError((error as Error).message)
  }
}

/** The recorded store, if this machine sees it. */
function seenStore({ file, store }: { readonly file: CrawlFile; readonly store: string }): string | null {
  if (!existsSync(join(store, 'crawl.json'))) return null
  return isStoreOf(store, file) ? store : null
}

function givenStore(store: string, file: CrawlFile, name: string): string {
  const directory = absolute(store)
  if (isStoreOf(directory, file)) return directory
  throw new ConfigError(`${store} is not the store of "${name}", or its ledger was copied elsewhere since`)
}

function isStoreOf(directory: string, { createdAt, ledgerId }: CrawlFile): boolean {
  const there = readCrawlFile(directory)
  return there.createdAt === createdAt && there.ledgerId === ledgerId
}

/** The ledger that the directory names must be the one that is its truth: it may have been copied elsewhere, and the crawl gone on. */
export async function checkLedgerOf(file: CrawlFile, ledger: Ledger): Promise<void> {
  const record = await readRecord(ledger)
  if (record && record.file.ledgerId !== file.ledgerId)
    throw new ConfigError(
      'the ledger in the database is not that of this directory any more: it was copied elsewhere',
    )
}
