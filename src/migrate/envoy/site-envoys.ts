/**
 * The tours of an agent's sites (M8, M17): who may be sent, what comes back, and when the server is asked.
 */
import type { EnvoyAgent, EnvoyAnswer, Envoys } from '../../cluster/agent/lane/index.js'
import type { SiteCrawl } from '../../cluster/agent/site/index.js'
import type { Ledger } from '../../ledger/index.js'
import { fingerprint, takeFingerprint } from '../../model/bytes/index.js'
import { type Clock, type Exchange, type Millis, markOf, type Random, sleep } from '../../model/index.js'
import { originOf } from '../../model/url/index.js'
import { type FrontierEntry, readJournal } from '../../page/frontier/index.js'
import { type BundleManifest, type KeyPair, sealBundle, writeDiscoveryRow } from '../bundle/index.js'
import type { Carrier } from '../carrier/index.js'
import {
  BUNDLE_SENT_LIFE_MS,
  FRONTIER_ROWS,
  HELD_LOOK_MS,
  JOURNAL_BATCH_BYTES,
  REST_FIRST_MS,
  REST_MOST_MS,
  SEEN_MOST_BYTES,
} from '../limits.js'
import { HeldVisits } from './held-visits.js'
import { SiteTour } from './site-tour.js'

export interface SiteEnvoysParts {
  readonly clock: Clock
  readonly random: Random
  readonly ledger: Pick<Ledger, 'readJournal' | 'settings' | 'set'>
  readonly keys: KeyPair
  /** The host of an origin, if the user has named one. */
  readonly carrierOf: (origin: string) => { readonly carrier: Carrier; readonly host: string | null } | null
  readonly agent: EnvoyAgent
  /** False for a response that the crawl does not want (`--types`): its server says so in its own way. */
  readonly isWanted: (exchange: Exchange) => boolean
  readonly bodyBytes: number
  readonly maxDepth: number
  readonly log: (event: string, fields: Readonly<Record<string, unknown>>) => void
}

/** What this agent knows about the host of a site under one lease. */
interface Standing {
  readonly origin: string
  readonly carrier: Carrier
  /** The key that the user has named. */
  readonly host: string | null
  /** The last tour. Its visits stay when it is over. */
  tour: SiteTour | null
  readonly held: HeldVisits
  beginning: Promise<void> | null
  returned: boolean
  /** The end of the last tour was noted. */
  isClosed: boolean
  /** Fingerprints of URLs that tours have answered under this lease. */
  readonly answered: number[]
  /** The tour has answered since it began. */
  isUseful: boolean
}

/** A host that was lost or refuses rests for a time that doubles. */
interface Rest {
  readonly until: Millis
  readonly lastMs: Millis
}

export class SiteEnvoys implements Envoys {
  readonly #parts: SiteEnvoysParts
  readonly #standings = new Map<string, Standing>()
  readonly #rests = new Map<string, Rest>()

  constructor(parts: SiteEnvoysParts) {
    this.#parts = parts
  }

  mayBegin(site: SiteCrawl, entry: FrontierEntry): boolean {
    const standing = this.#standingOf(site, entry)
    if (standing === null || standing.tour?.state === 'away' || standing.beginning !== null) return false
    if (standing.held.has(entry.url)) return false
    // A visit that has failed before is the server's matter.
    if (markOf(entry.url) !== null || originOf(entry.url) !== standing.origin || entry.attempt > 1)
      return false
    const rest = this.#rests.get(standing.origin)
    return rest === undefined || rest.until <= this.#parts.clock.monotonic()
  }

  async begin(site: SiteCrawl, entry: FrontierEntry): Promise<void> {
    const standing = this.#standings.get(site.leaseKey)
    if (standing === undefined) return
    standing.beginning = this.#send(site, standing, entry).finally(() => {
      standing.beginning = null
    })
    await standing.beginning
  }

  async answer(site: SiteCrawl, entry: FrontierEntry): Promise<EnvoyAnswer> {
    const standing = this.#standings.get(site.leaseKey)
    if (standing === undefined) return { is: 'server' }
    if (standing.beginning !== null) await standing.beginning
    const { tour } = standing
    if (tour === null) return { is: 'server' }
    const isOther = markOf(entry.url) !== null || originOf(entry.url) !== standing.origin
    if (isOther || entry.attempt > 1) return { is: tour.state === 'away' ? 'later' : 'server' }
    const isLeft = () => site.mode.is === 'leaving'
    const isOver = () => tour.state !== 'away' || isLeft()
    const exchange = await standing.held.take(entry.url, HELD_LOOK_MS, isOver)
    if (exchange !== null && !this.#parts.isWanted(exchange))
      return { is: tour.state === 'away' ? 'later' : 'server' }
    if (exchange !== null) {
      takeFingerprint(entry.url)
      standing.answered.push(fingerprint.low, fingerprint.high)
      standing.isUseful = true
      return { is: 'response', result: { ok: true, exchange } }
    }
    if (isLeft()) return { is: 'later' }
    if (!standing.isClosed) this.#close(site, standing, tour)
    return { is: 'server' }
  }

  hasReturned(site: SiteCrawl): boolean {
    const standing = this.#standings.get(site.leaseKey)
    if (!standing?.returned) return false
    standing.returned = false
    return true
  }

  async end(site: SiteCrawl): Promise<void> {
    const standing = this.#standings.get(site.leaseKey)
    if (standing === undefined) return
    if (standing.beginning !== null) await standing.beginning
    if (standing.tour !== null) {
      standing.tour.stop()
      // The lease has passed to somebody else, and the host counts by it.
      if (!site.lost) await standing.tour.over
      if (!standing.isClosed) {
        this.#close(site, standing, standing.tour)
        // Whoever gets the site next does not know when the host sent its last request.
        if (!site.lost) await sleep(this.#parts.clock, this.#parts.agent.leastDelayMs())
      }
    }
    this.#standings.delete(site.leaseKey)
  }

  /** Null if the site has no host. A cell by shard or path is a part of a site: it is crawled from here. */
  #standingOf(site: SiteCrawl, entry: FrontierEntry): Standing | null {
    const known = this.#standings.get(site.leaseKey)
    if (known !== undefined) return known
    const origin = originOf(entry.url)
    const found = site.cell === site.site ? this.#parts.carrierOf(origin) : null
    if (found === null) return null
    const standing: Standing = {
      origin,
      ...found,
      tour: null,
      held: new HeldVisits(this.#parts.clock),
      beginning: null,
      returned: false,
      isClosed: true,
      answered: [],
      isUseful: true,
    }
    this.#standings.set(site.leaseKey, standing)
    return standing
  }

  async #send(site: SiteCrawl, standing: Standing, entry: FrontierEntry): Promise<void> {
    const { clock, bodyBytes, agent, log } = this.#parts
    const { carrier, origin } = standing
    const host = standing.host ?? (await this.#keyOf(standing))
    if (host === null) return this.#rest(standing, 'no host answers there, or with another key than before')
    const manifest = this.#manifestOf(site, standing, host)
    const frontier = frontierOf(site, entry, standing)
    const seen = await this.#seen(site, standing)
    const bundle = await sealBundle({ manifest, frontier, seen }, this.#parts.keys.privateKey)
    const sent = await carrier.send(bundle)
    if (sent.is !== 'accepted') return this.#rest(standing, sent.why)
    log('a tour began', { origin, bundle: manifest.id, bytes: bundle.length })
    standing.isUseful = false
    standing.isClosed = false
    const { held } = standing
    standing.tour = new SiteTour(
      { clock, carrier, manifest, held, leftMs: agent.leftMs, bodyBytes },
      sent.progress,
    )
  }

  /** The key that the host says it has; the first one counts for the whole crawl. */
  async #keyOf({ origin, carrier }: Standing): Promise<string | null> {
    const { ledger } = this.#parts
    const key = (await carrier.card())?.host ?? null
    const name = `host.${origin}`
    const pinned = (await ledger.settings())[name]
    if (pinned === undefined && key !== null) await ledger.set({ [name]: key })
    return pinned === undefined || pinned === key ? key : null
  }

  #manifestOf(site: SiteCrawl, { origin }: Standing, host: string): BundleManifest {
    const { clock, random, keys, maxDepth } = this.#parts
    const id = Array.from({ length: 4 }, () => hex(Math.floor(random.next() * 2 ** 32))).join('')
    const now = clock.now()
    return {
      id,
      home: keys.publicKey,
      host,
      origin,
      cell: site.cell,
      epoch: site.lease.epoch,
      issued: now,
      expires: now + BUNDLE_SENT_LIFE_MS,
      keywords: [],
      minKeywords: 0,
      maxDepth: Number.isFinite(maxDepth) ? maxDepth : -1,
      prefixes: [],
      maxPages: FRONTIER_ROWS,
    }
  }

  /** Fingerprints of the URLs of the cell that have an outcome or have come, as far as they fit. */
  async #seen(site: SiteCrawl, { answered, held }: Standing): Promise<Buffer> {
    const halves = [...answered]
    for (const url of held.urls()) {
      takeFingerprint(url)
      halves.push(fingerprint.low, fingerprint.high)
    }
    const { cell, lastPack } = site.lease
    const isFull = () => halves.length * 4 >= SEEN_MOST_BYTES
    for (let from = 1; from <= lastPack && !isFull(); ) {
      const batch = await this.#parts.ledger.readJournal(cell, from, JOURNAL_BATCH_BYTES)
      if (batch.length === 0) break
      for (const { journal } of batch)
        readJournal(journal, { settled: (low, high) => void (isFull() || halves.push(low, high)) })
      from = batch.at(-1)!.number + 1
    }
    const seen = Buffer.alloc(halves.length * 4)
    for (const [at, half] of halves.entries()) seen.writeUInt32LE(half >>> 0, at * 4)
    return seen
  }

  /** After a tour: the next one begins at once if this one has brought something. */
  #close(site: SiteCrawl, standing: Standing, tour: SiteTour): void {
    const { origin } = standing
    standing.isClosed = true
    standing.returned = true
    this.#parts.log('a tour ended', { origin, cell: site.cell, state: tour.state, ...tour.facts })
    if (tour.state === 'lost' || !standing.isUseful) this.#rest(standing, tour.facts.why)
    else this.#rests.delete(origin)
  }

  #rest({ origin }: Standing, why: string): void {
    const { clock, log } = this.#parts
    const before = this.#rests.get(origin)?.lastMs ?? REST_FIRST_MS / 2
    const lastMs = Math.min(REST_MOST_MS, before * 2)
    this.#rests.set(origin, { until: clock.monotonic() + lastMs, lastMs })
    if (why !== '') log('a host was not used', { origin, why, restSeconds: lastMs / 1_000 })
  }
}

/** The URL that the lane has taken, and those that wait behind it. */
function frontierOf(site: SiteCrawl, entry: FrontierEntry, { origin, held }: Standing): Buffer {
  const rows = [writeDiscoveryRow(entry)]
  site.frontier.showNew(discovery => {
    const { url } = discovery
    if (rows.length >= FRONTIER_ROWS || markOf(url) !== null || held.has(url)) return
    if (originOf(url) === origin) rows.push(writeDiscoveryRow(discovery))
  })
  return Buffer.from(rows.join(''))
}

function hex(number: number): string {
  return number.toString(16).padStart(8, '0')
}
