/**
 * The real crawls of `orbweaver experiment dynamic-balance`: a generated web on loopback, three agents with
 * two lanes each, one crawl for each method. The first method needs no sizes; the other crawls get those that
 * it found.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock as clock, systemPlatform } from '../src/compose/index.js'
import { checkConfig } from '../src/config/index.js'
import type { Ledger } from '../src/ledger/index.js'
import { LEDGER_FILE, openSqliteLedger } from '../src/ledger/sqlite/index.js'
import { cellOf, groupOf, type Millis, sum } from '../src/model/index.js'
import { siteOf } from '../src/model/url/index.js'
import { createSession } from '../src/runtime/session/index.js'
import { truth, WebServer } from '../src/simulate/web/index.js'
import {
  AGENTS,
  type Balance,
  balanceKnobs,
  balanceOf,
  balanceWeb,
  type KnownSite,
  LANES_PER_AGENT,
  laneTimes,
  METHODS,
  type Method,
  sitesOf,
  sizeFor,
  startingOrder,
} from './dynamic-balance.js'
import { StallMeter } from './stall-meter.js'

/** With a larger share of the download time on this machine, all sites would be equally slow. */
const MOST_OWN = 0.3

/** A crawl during which the machine stood still for longer is repeated. */
const MOST_STILL_MS: Millis = 3_000
const MOST_ATTEMPTS = 10

export interface BalanceOptions {
  readonly pages: number
  readonly seed: number
  readonly latencyMs: Millis
  /** Reports progress. */
  readonly tell: (text: string) => void
}

export async function crawlBalance(options: BalanceOptions): Promise<Balance[]> {
  const { pages, seed, latencyMs, tell } = options
  const plan = balanceWeb(seed, pages)
  const web = await WebServer.listen(plan, { ...balanceKnobs(latencyMs), clock, port: 0 })
  const folder = mkdtempSync(join(tmpdir(), 'orbweaver-balance-'))
  const expected = [...truth(plan, web.authority)].length
  const balances: Balance[] = []
  let known: readonly KnownSite[] = []
  try {
    for (const method of METHODS) {
      const started = clock.monotonic()
      const run = await crawlAwake(
        attempt => new BalanceCrawl(web, join(folder, `${method.name}-${attempt}`), method, seed),
        known,
        tell,
      )
      const found = run.pages
      if (found !== expected) throw new Error(`${method.name} stored ${found} of ${expected} pages`)
      const ledger = run.openLedger()
      const times = laneTimes(await ledger.agentWork())
      if (known.length === 0) known = await learn(ledger, web)
      await ledger.close()
      const balance = balanceOf(method, times)
      balances.push(balance)
      tell(inWords(balance, found, clock.monotonic() - started))
      const ownMs = sum(times) - sum(sitesOf(plan, latencyMs).map(({ downloadMs }) => downloadMs))
      if (ownMs > MOST_OWN * sum(times)) tell(busy(ownMs / sum(times)))
    }
  } finally {
    await web.close()
    rmSync(folder, { recursive: true, force: true })
  }
  return balances
}

/**
 * Repeats the crawl if the machine slept meanwhile, because that would count as slow servers on all lanes.
 */
async function crawlAwake(
  begin: (attempt: number) => BalanceCrawl,
  known: readonly KnownSite[],
  tell: BalanceOptions['tell'],
): Promise<BalanceCrawl> {
  for (let attempt = 1; ; attempt++) {
    const run = begin(attempt)
    const watch = new StallMeter(clock)
    let stalledMs: Millis
    try {
      await run.crawl(known)
    } finally {
      stalledMs = watch.end()
    }
    if (stalledMs < MOST_STILL_MS || attempt === MOST_ATTEMPTS) return run
    tell(`  the machine stood still for ${(stalledMs / 1000).toFixed(0)} s: the crawl is repeated`)
  }
}

function inWords({ name, stdevPercent }: Balance, pages: number, tookMs: Millis): string {
  return `${name}: ${pages} pages in ${(tookMs / 1000).toFixed(0)} s, stdev ${stdevPercent.toFixed(2)} %`
}

function busy(own: number): string {
  const share = Math.round(100 * own)
  return `  ${share} % of the download time went by on this machine and not at the servers: a larger --latency would be fairer`
}

class BalanceCrawl {
  readonly #web: WebServer
  readonly #directory: string
  readonly #method: Method
  readonly #seed: number
  #pages = 0

  constructor(web: WebServer, directory: string, method: Method, seed: number) {
    this.#web = web
    this.#directory = directory
    this.#method = method
    this.#seed = seed
  }

  /** The number of stored pages. */
  get pages(): number {
    return this.#pages
  }

  async crawl(known: readonly KnownSite[]): Promise<void> {
    const { plan, authority } = this.#web
    const sites = known.length > 0 ? known : Array.from({ length: plan.sites }, (_, site) => unknown(site))
    const order = startingOrder(this.#method, sites, this.#seed)
    const seeds = order.map(site => plan.urlOf(site, 0, authority))
    const config = checkConfig({
      seeds,
      scope: 'any',
      agents: AGENTS,
      lanes: LANES_PER_AGENT,
      assign: this.#method.assign,
      assignSeed: this.#seed,
      delay: 0,
      slices: 'off',
      resolve: ['*.test=127.0.0.1'],
      sitemap: ['none'],
      traps: ['none'],
      archive: 'none',
      tables: 'none',
      contact: 'https://example.org/experiment',
    })
    const session = createSession(systemPlatform, config, this.#directory)
    session.makeDirectory()
    await this.#tellSizes(known, seeds)
    this.#pages = (await session.run()).pages
  }

  openLedger(create = false): Ledger {
    return openSqliteLedger(join(this.#directory, LEDGER_FILE), { create, now: clock.now })
  }

  /** Writes known sizes to the ledger before the crawl begins, so that the queue is ordered by them. */
  async #tellSizes(known: readonly KnownSite[], seeds: readonly string[]): Promise<void> {
    const { plan, authority } = this.#web
    const sizes = known.flatMap(site => {
      const size = sizeFor(this.#method, site)
      return size === null ? [] : [{ cell: cellOf(plan.urlOf(site.site, 0, authority)), size }]
    })
    if (sizes.length === 0) return
    const ledger = this.openLedger(true)
    await ledger.append(
      seeds.map(url => ({ cell: cellOf(url), group: groupOf(siteOf(url), 'domain'), rows: [] })),
    )
    await ledger.estimate(sizes)
    await ledger.close()
  }
}

function unknown(site: number): KnownSite {
  return { site, size: 0, downloadMs: 0 }
}

async function learn(ledger: Ledger, web: WebServer): Promise<KnownSite[]> {
  const found = new Map((await ledger.sites('', 1_000)).map(site => [site.cell, site]))
  return Array.from({ length: web.plan.sites }, (_, site) => {
    const row = found.get(cellOf(web.plan.urlOf(site, 0, web.authority)))
    return { site, size: row?.pages ?? 0, downloadMs: row?.fetchMs ?? 0 }
  })
}
