/**
 * The whole path of a page in one process: settled by the real response handler (charset, parse, links,
 * traps, rows, WARC record), then its pack through the journal, the store, the Parquet tables and the
 * converters of the export. Only the network and the ledger are missing.
 */

import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { linksOf } from '../../src/cluster/agent/assemble-links.js'
import type { AgentInput } from '../../src/cluster/agent/index.js'
import type { ResponseHandler } from '../../src/cluster/agent/lane/index.js'
import { OpenPack, SentLinks } from '../../src/cluster/agent/pack/index.js'
import {
  Counters,
  LaneCount,
  type OriginRobots,
  PageFaults,
  SiteCrawl,
} from '../../src/cluster/agent/site/index.js'
import { systemClock } from '../../src/compose/index.js'
import { checkConfig } from '../../src/config/index.js'
import { htmlToMarkdown } from '../../src/data/export/html-to-markdown.js'
import { rewriteHtml } from '../../src/data/export/rewrite-html.js'
import { DirectoryPackStore, locateFile, PackBuilder, type StoredFile } from '../../src/data/store/index.js'
import { PageRowView } from '../../src/data/store/tables/index.js'
import { convertLogs } from '../../src/data/store/tables/parquet/index.js'
import { type WarcRecords, warcRecords } from '../../src/data/store/warc/index.js'
import type { PackCell, ReceivedMessages } from '../../src/ledger/index.js'
import {
  type Exchange,
  type PageRow,
  readTraps,
  SeededRandom,
  SplitCells,
  sitemapMark,
  WakeUp,
} from '../../src/model/index.js'
import { CellFrontier, FrontierSpace, rebuildCell } from '../../src/page/frontier/index.js'
import { Scope } from '../../src/page/frontier/scope/index.js'
import { HostNames, SiteTraps } from '../../src/page/frontier/traps/index.js'
import { toUtf8 } from '../../src/page/parse/index.js'
import type { SitePace } from '../../src/page/politeness/index.js'
import { RobotsRules } from '../../src/page/robots/index.js'
import { pageRowOf } from './row-logs.js'
import { sampleExchange } from './store-samples.js'

export interface Answer {
  readonly url: string
  readonly body: Buffer
  readonly status: number
  /** Lines without their end. */
  readonly headers: readonly string[]
  readonly isSitemap: boolean
}

/** What a test puts in the place of our own. */
type Ports = Partial<Pick<AgentInput, 'parse' | 'guest' | 'readPage'>>

/** The export parses every page twice more: some are enough. */
const CONVERT_EVERY = 4
const SITE = 'site.test'
const START = `http://${SITE}/`
const NO_PACE: Partial<SitePace> = { wait: () => {}, giveUp: () => {}, waitUntil: 0, groupWaits: () => [] }
const NOTHING_HEARD: ReceivedMessages = { links: 0, pages: new Uint8Array(), sites: new Uint8Array() }
const LEASE = { cell: SITE, epoch: 1, until: 0, lastPack: 0, cursor: 0, appended: 0, notBefore: 0 }
const REST = { waitUntil: 0, turnFrom: 0, delayMs: 0, grant: 1, lane: 0 }

export class PagePath {
  /** Exceptions that became an outcome, with their stacks: a crawl goes on, a test of this path fails. */
  readonly faults: string[] = []
  readonly #folder: string
  readonly #random: SeededRandom
  readonly #space: FrontierSpace
  readonly #records: WarcRecords | null
  readonly #builder: PackBuilder
  readonly #responseHandler: ResponseHandler
  readonly #counters = new Counters()
  #pack: OpenPack
  #site: SiteCrawl
  #packs = 0
  #settled = 0

  /** `folder` is for this path alone, and is gone after `close`. */
  constructor(folder: string, seed: number, ports: Ports = {}) {
    this.#folder = folder
    mkdirSync(folder, { recursive: true })
    this.#random = new SeededRandom(seed)
    const limits = { folder: join(folder, 'frontier'), seenBytes: 2e7, queueBytes: 2e7, salt: 4 }
    this.#space = new FrontierSpace(limits)
    this.#records = warcRecords({ codec: 'gzip', level: 1 }, this.#random)
    this.#builder = new PackBuilder({ agent: 'a', records: this.#records, tables: true })
    this.#pack = this.#newPack()
    this.#site = this.#newSite()
    this.#responseHandler = this.#newResponseHandler(ports)
  }

  /** What the ledger would be told so far, and the rows in the order in which they came. */
  get filled(): { readonly cell: PackCell; readonly rows: readonly PageRow[] } {
    const view = new PageRowView()
    const { bytes } = this.#builder.toPack(this.#pack.id).pages
    const rows: PageRow[] = []
    for (let at = 0; at < bytes.length; ) {
      at += view.moveTo(bytes, at)
      rows.push(pageRowOf(view, new Uint8Array()))
    }
    return { cell: this.#pack.cellFor(this.#site).toPackCell(), rows }
  }

  /** True when it came to a page. */
  settleExchange(exchange: Exchange, mark: (url: string) => string = url => url): Promise<boolean> {
    const entry = { url: mark(exchange.url), depth: 1, hops: 0, score: 0, via: START, attempt: 1 }
    return this.#responseHandler.handle(this.#site, entry, { ok: true, exchange }, undefined)
  }

  /** The same, and everything else that is ever done to a document. */
  async settle(answer: Answer): Promise<void> {
    const { url, status, headers, body, isSitemap } = answer
    const exchange = sampleExchange({ url, status, headers: [...headers], rawBody: body })
    await this.settleExchange(exchange, isSitemap ? sitemapMark : undefined)
    if (this.#settled++ % CONVERT_EVERY === 0) this.#convert(exchange)
    RobotsRules.parse(body, 'orbweaver').allows(url)
  }

  /** What the export makes of it. */
  #convert(exchange: Exchange): void {
    const { bytes, start, charset } = toUtf8(exchange.body, undefined)
    const html = bytes.toString('utf8', start)
    htmlToMarkdown(html, exchange.url, charset)
    rewriteHtml(html, exchange.url, url => (url.length % 2 === 0 ? `x${url.length}.html` : null), charset)
  }

  /**
   * Stores the pack, makes tables of it, and rebuilds the site from its journal. Returns the rows of the
   * pages table.
   */
  async seal(): Promise<number> {
    const owner = { crawl: 'fuzz', incarnation: ++this.#packs }
    const directory = join(this.#folder, String(this.#packs))
    const records = this.#records
    const store = new DirectoryPackStore({ directory, owner, clock: systemClock, records, info: {} })
    const stored = await store.append(this.#builder.toPack(this.#pack.id))
    if (!stored.ok) throw new Error(stored.detail)
    await store.close()
    await this.#reopen(stored.files)
    const rows = convertAll(directory, stored.files)
    rmSync(directory, { recursive: true })
    return rows
  }

  /** The site as another agent would have it: from the journal of the pack. */
  async #reopen(files: readonly StoredFile[]): Promise<void> {
    const pack = this.#pack.toLedger(1, files, 0, NOTHING_HEARD, 'none', 0)
    const journals = pack.cells.map(cell => cell.journal)
    this.#builder.reset()
    this.#site.frontier.close()
    this.#site = this.#newSite()
    await rebuildCell(() => journals, this.#site.frontier, this.#space, this.#site.traps)
    this.#pack = this.#newPack()
  }

  close(): void {
    this.#space.close()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  #newPack(): OpenPack {
    return new OpenPack(`p${this.#packs}`, 'a', 0, this.#builder)
  }

  #newSite(): SiteCrawl {
    const frontier = new CellFrontier(this.#space, { maxDepth: Number.POSITIVE_INFINITY })
    const rules = readTraps(checkConfig({ seeds: [START] }).traps) ?? new Set()
    const traps = new SiteTraps({ rules, maxPages: 1e9, clock: systemClock, known: frontier })
    const [pace, originRobots] = [NO_PACE as SitePace, {} as OriginRobots]
    const lanes = new LaneCount(1)
    return new SiteCrawl(
      { lease: { ...LEASE, ...REST }, frontier, traps, pace, originRobots: originRobots, lanes },
      new WakeUp(systemClock),
    )
  }

  #newResponseHandler({ guest = null, readPage = null, ...ports }: Ports): ResponseHandler {
    const config = checkConfig({ seeds: [START], scope: 'any', links: 'all', assets: true })
    const input = {
      ...ports,
      config,
      clock: systemClock,
      random: this.#random,
      scope: new Scope({ seeds: [START], kind: 'any', include: [], exclude: [] }),
      guest,
      readPage,
      hosts: new HostNames(),
      archives: true,
      onScopeWidened: () => {},
    }
    const core = {
      counters: this.#counters,
      cells: new SplitCells(),
      sent: new SentLinks(7),
      faults: new PageFaults((event, fields) => void this.faults.push(`${event} ${JSON.stringify(fields)}`)),
      traps: readTraps(config.traps) ?? new Set(),
      maxWaitMs: config.maxWait * 1000,
      isLocal: () => false,
      maxTries: config.tries ?? Number.POSITIVE_INFINITY,
    }
    return linksOf(input, core, () => this.#pack).responseHandler
  }
}

/** Row logs to Parquet; returns the rows of the pages table. */
function convertAll(directory: string, files: readonly StoredFile[]): number {
  let pages = 0
  for (const table of ['pages', 'links'] as const) {
    for (const { name, kind, bytes } of files) {
      const path = kind === `${table}-log` ? locateFile(directory, name) : null
      if (path === null) continue
      const outPath = join(directory, `${table}.parquet`)
      const learnedPath = join(directory, `${table}.learned`)
      const made = convertLogs({ table, logs: [{ path, committedBytes: bytes }], outPath, learnedPath })
      if (table === 'pages') pages += made.rows
    }
  }
  return pages
}
