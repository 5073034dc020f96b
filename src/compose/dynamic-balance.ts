/**
 * The real crawls of `orbweaver experiment dynamic-balance` (D24): a generated web on loopback, three agents with two
 * lanes each, one crawl for each method. The first crawl needs to know nothing of the sites, and is the previous crawl
 * of the others: sizes are what it found.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Ledger, openSqliteLedger } from '../cluster/index.js'
import { checkConfig } from '../config/index.js'
import { cellOf, groupOf } from '../model/cell.js'
import type { Millis } from '../model/clock.js'
import { siteOf } from '../model/url.js'
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
  startingOrder,
} from '../simulate/experiments/index.js'
import { truth, WebServer } from '../simulate/web/index.js'
import { createSession, LEDGER_FILE } from './session.js'
import { systemClock as clock } from './system.js'

export interface BalanceOptions {
  readonly pages: number
  readonly seed: number
  readonly latencyMs: Millis
  /** For people who wait. */
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
      const run = new BalanceCrawl(web, join(folder, method.name), method, seed)
      const found = await run.crawl(known)
      if (found !== expected) throw new Error(`${method.name} stored ${found} of ${expected} pages`)
      const ledger = run.openLedger()
      balances.push(balanceOf(method, laneTimes(await ledger.agentWork())))
      if (known.length === 0) known = await learn(ledger, web)
      await ledger.close()
      const seconds = ((clock.monotonic() - started) / 1000).toFixed(0)
      tell(
        `${method.name}: ${found} pages in ${seconds} s, stdev ${balances.at(-1)!.stdevPercent.toFixed(2)} %`,
      )
    }
  } finally {
    await web.close()
    rmSync(folder, { recursive: true, force: true })
  }
  return balances
}

class BalanceCrawl {
  readonly #web: WebServer
  readonly #directory: string
  readonly #method: Method
  readonly #seed: number

  constructor(web: WebServer, directory: string, method: Method, seed: number) {
    this.#web = web
    this.#directory = directory
    this.#method = method
    this.#seed = seed
  }

  /** The number of pages stored. */
  async crawl(known: readonly KnownSite[]): Promise<number> {
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
    const session = createSession(config, this.#directory)
    await this.#tellSizes(known, seeds)
    return (await session.run()).pages
  }

  openLedger(create = false): Ledger {
    return openSqliteLedger(join(this.#directory, LEDGER_FILE), { create, now: clock.now })
  }

  /** What is known goes into the ledger before the crawl begins; S is then ordered by it. */
  async #tellSizes(known: readonly KnownSite[], seeds: readonly string[]): Promise<void> {
    const { sizes } = this.#method
    if (known.length === 0 || sizes === 'unknown') return
    const { plan, authority } = this.#web
    const ledger = this.openLedger(true)
    await ledger.append(
      seeds.map(url => ({ cell: cellOf(url), group: groupOf(siteOf(url), 'domain'), rows: [] })),
    )
    await ledger.estimate(
      known.map(({ site, size, downloadMs }) => ({
        cell: cellOf(plan.urlOf(site, 0, authority)),
        size: sizes === 'objects' ? size : Math.round(downloadMs),
      })),
    )
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
