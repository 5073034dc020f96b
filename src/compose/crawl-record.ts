/**
 * What the ledger in a database knows of its crawl: all that crawl.json says, where the store is, and the
 * token of agents that do not see it. The names begin with `crawl.`: such settings do not travel with
 * heartbeats, and are shown to nobody.
 */
import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { ConfigError } from '../config/index.js'
import type { Ledger } from '../ledger/index.js'
import { type Millis, sleep } from '../model/index.js'
import { type CrawlFile, checkCrawlFile } from './crawl-directory.js'
import { systemClock as clock } from './system-clock.js'

const FILE = 'crawl.file'
const STORE = 'crawl.store'
const TOKEN = 'crawl.token'
const TOKEN_BYTES = 32
/**
 * Between the making of its tables and the first thing that is written into them a crawl is there, and
 * nothing is known of it.
 */
const MAKING_MS: Millis = 10_000
const LOOK_MS: Millis = 200

export interface CrawlRecord {
  readonly file: CrawlFile
  /** The directory of the crawl, on the machine that began it. */
  readonly store: string
  readonly token: string
}

/** By whoever coordinates; a crawl of an older version gets what it has not. */
export async function saveRecord(ledger: Ledger, file: CrawlFile, store: string): Promise<void> {
  const known = await ledger.settings()
  await ledger.set({
    [FILE]: JSON.stringify(file),
    [STORE]: `${hostname()}:${store}`,
    [TOKEN]: known[TOKEN] ?? randomBytes(TOKEN_BYTES).toString('base64url'),
  })
}

/** Null when nothing is recorded: the crawl is being made, or was made before there were records. */
export async function readRecord(ledger: Ledger): Promise<CrawlRecord | null> {
  const { [FILE]: text, [STORE]: store = '', [TOKEN]: token = '' } = await ledger.settings()
  if (text === undefined) return null
  const file = checkCrawlFile(JSON.parse(text) as CrawlFile, 'the crawl')
  return { file, store: store.slice(store.indexOf(':') + 1), token }
}

export async function awaitRecord(ledger: Ledger, crawl: string): Promise<CrawlRecord> {
  for (const until = clock.monotonic() + MAKING_MS; ; await sleep(clock, LOOK_MS)) {
    const record = await readRecord(ledger)
    if (record) return record
    if (clock.monotonic() > until)
      throw new ConfigError(
        `the ledger of "${crawl}" does not name its store; resume it once by its directory`,
      )
  }
}
