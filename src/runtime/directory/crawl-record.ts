/**
 * The record of a crawl in its ledger: the content of crawl.json, where the store is, and the token of agents
 * that do not see the store. The names begin with `crawl.`: such settings are not sent with heartbeats and
 * are never shown.
 */
import { hostname } from 'node:os'
import { ConfigError } from '../../config/index.js'
import type { Ledger } from '../../ledger/index.js'
import { type Clock, type Millis, type Random, sleep } from '../../model/index.js'
import { type CrawlFile, checkCrawlFile } from './crawl-directory.js'

const FILE = 'crawl.file'
const STORE = 'crawl.store'
const TOKEN = 'crawl.token'
const TOKEN_BYTES = 32
/**
 * How long to wait for the record of a crawl whose tables were made a moment ago.
 */
const MAKING_MS: Millis = 10_000
const LOOK_MS: Millis = 200

export interface CrawlRecord {
  readonly file: CrawlFile
  /** The directory of the crawl, on the machine that began it. */
  readonly store: string
  readonly token: string
}

/** Written by each coordinating run; the token stays the same. */
export async function saveRecord(
  ledger: Ledger,
  file: CrawlFile,
  store: string,
  random: Random,
): Promise<void> {
  const known = await ledger.settings()
  await ledger.set({
    [FILE]: JSON.stringify(file),
    [STORE]: `${hostname()}:${store}`,
    [TOKEN]: known[TOKEN] ?? Buffer.from(random.bytes(TOKEN_BYTES)).toString('base64url'),
  })
}

/** Null when nothing is recorded: the crawl is being made. */
export async function readRecord(ledger: Ledger): Promise<CrawlRecord | null> {
  const { [FILE]: text, [STORE]: store = '', [TOKEN]: token = '' } = await ledger.settings()
  if (text === undefined) return null
  const file = checkCrawlFile(JSON.parse(text) as CrawlFile, 'the crawl')
  return { file, store: store.slice(store.indexOf(':') + 1), token }
}

export async function awaitRecord(ledger: Ledger, crawl: string, clock: Clock): Promise<CrawlRecord> {
  for (const until = clock.monotonic() + MAKING_MS; ; await sleep(clock, LOOK_MS)) {
    const record = await readRecord(ledger)
    if (record) return record
    if (clock.monotonic() > until)
      throw new ConfigError(
        `the ledger of "${crawl}" does not name its store; resume it once by its directory`,
      )
  }
}
