/** A crawl directory made by hand with the real store and the real ledger: what `query` and `export` read. */
import { randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock, systemRandom } from '../../src/compose/index.js'
import { rememberDirectory } from '../../src/config/index.js'
import { completeLogs } from '../../src/data/store/file-names.js'
import { DirectoryPackStore, locateFile, PackBuilder, type StoredFile } from '../../src/data/store/index.js'
import { convertLogs } from '../../src/data/store/tables/parquet/index.js'
import {
  parseArchiveFormat,
  payloadDigest,
  type Revisit,
  type WarcRecords,
  warcRecords,
} from '../../src/data/store/warc/index.js'
import { writeSealed } from '../../src/files/index.js'
import type { Ledger } from '../../src/ledger/index.js'
import { openSqliteLedger } from '../../src/ledger/sqlite/index.js'
import { type Exchange, LinkKind, type OutcomeCode, type PageRow } from '../../src/model/index.js'
import { siteOf } from '../../src/model/url/index.js'
import { parsePage } from '../../src/page/parse/index.js'

export interface MadePage {
  readonly url: string
  readonly body?: string | Buffer
  /** The body as it crossed the wire, where that differs. */
  readonly payload?: Buffer
  readonly status?: number
  readonly type?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly outcome?: OutcomeCode
  readonly redirect?: string
  readonly revisit?: Revisit
  /** Rows of the links table. */
  readonly links?: readonly string[]
  readonly fetchedAt?: number
}

export const MADE_AT = Date.UTC(2026, 0, 31, 12, 0, 0, 123)

export class MadeCrawl {
  readonly dir: string
  readonly ledger: Ledger
  readonly #records: WarcRecords | null
  readonly #store: DirectoryPackStore
  readonly #tables: boolean
  #incarnation: number | undefined
  #packs = 0
  #merges = 0

  constructor(options: { archive?: string; tables?: boolean } = {}) {
    this.dir = mkdtempSync(join(tmpdir(), 'orb-made-'))
    const file = { format: 1, orbweaver: '0.1.0', id: randomUUID(), config: { seeds: ['http://a.test/'] } }
    writeSealed(join(this.dir, 'crawl.json'), 'crawl.json', file)
    rememberDirectory(this.dir, file, Date.now())
    for (const folder of ['archive', 'tables/pages', 'tables/links', 'tables/sites'])
      mkdirSync(join(this.dir, folder), { recursive: true })
    this.ledger = openSqliteLedger(join(this.dir, 'ledger.db'), { create: true, now: () => MADE_AT })
    const choice = parseArchiveFormat(options.archive ?? 'gzip')
    if (!choice.ok) throw new Error(choice.message)
    this.#records = warcRecords(choice.format, systemRandom)
    this.#tables = options.tables ?? true
    this.#store = new DirectoryPackStore({
      directory: this.dir,
      owner: { crawl: 'made', incarnation: 1 },
      clock: systemClock,
      records: this.#records,
      info: {},
      // A log per pack: there is always one to merge and one being written.
      limits: { pageRows: 1, linkRows: 1 },
    })
  }

  /** One pack. Uncommitted, its rows are in the files and the ledger does not know of them. */
  async add(pages: readonly MadePage[], committed = true): Promise<void> {
    const builder = new PackBuilder({ agent: 'a', records: this.#records, tables: this.#tables })
    for (const page of pages) {
      const exchange = page.status === 0 ? null : exchangeOf(page)
      builder.add({
        leaseKey: siteOf(page.url),
        row: rowOf(page, exchange),
        exchange,
        ...(page.revisit ? { revisit: page.revisit } : {}),
        ...(page.links
          ? { links: { targets: page.links, kinds: page.links.map(() => LinkKind.anchor) } }
          : {}),
      })
    }
    const result = await this.#store.append(builder.toPack(`p${++this.#packs}`))
    if (!result.ok) throw new Error(result.detail)
    if (committed) await this.commit(result.files)
  }

  async commit(files: readonly StoredFile[]): Promise<void> {
    this.#incarnation ??= await this.ledger.join('a')
    await this.ledger.swapFiles([], files)
  }

  /**
   * Turns row logs into Parquet, one file each, as the crawl does while it runs: not the one being written.
   */
  async merge(logs: 'complete' | 'all' = 'complete'): Promise<void> {
    const files = await this.ledger.files()
    for (const kind of ['pages-log', 'links-log'] as const) {
      const listed = files.filter(file => file.kind === kind)
      for (const log of logs === 'all' ? listed : completeLogs(listed, kind)) {
        const table = kind === 'pages-log' ? 'pages' : 'links'
        const name = `tables/${table}/m${++this.#merges}.parquet`
        const logPath = locateFile(this.dir, log.name)
        if (logPath === null) throw new Error(`${log.name} is gone`)
        const { bytes, crc32 } = convertLogs({
          table,
          logs: [{ path: logPath, committedBytes: log.bytes }],
          outPath: join(this.dir, name),
        })
        await this.ledger.swapFiles([log.name], [{ name, kind: table, bytes, crc32 }])
        rmSync(logPath)
      }
    }
  }

  /** Seals the files, merges all rows, ends the crawl. */
  async finish(): Promise<void> {
    await this.#store.close()
    if (this.#incarnation !== undefined) await this.ledger.leave(this.#incarnation)
    await this.merge('all')
    await this.ledger.tryEnd()
  }

  async remove(): Promise<void> {
    await this.#store.abandon()
    await this.ledger.close()
    rmSync(this.dir, { recursive: true, force: true })
  }
}

function exchangeOf(page: MadePage): Exchange {
  const status = page.status ?? 200
  const body = Buffer.from(page.body ?? '')
  const headers: Record<string, string> = {
    'content-type': page.type ?? 'text/html; charset=utf-8',
    ...page.headers,
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return {
    url: page.url,
    startedAt: page.fetchedAt ?? MADE_AT,
    fetchMs: 12,
    connectMs: 1,
    remoteAddress: '127.0.0.1',
    requestHead: Buffer.from('GET / HTTP/1.1\r\nHost: made\r\n\r\n'),
    status,
    responseHead: Buffer.from(`HTTP/1.1 ${status} Made\r\n${lines.join('')}\r\n`),
    rawBody: page.payload ?? body,
    payload: page.payload ?? body,
    body,
    header: name => headers[name],
  }
}

function rowOf(page: MadePage, exchange: Exchange | null): PageRow {
  const contentType = exchange?.header('content-type')
  const parsed =
    exchange?.status === 200
      ? parsePage({ url: page.url, body: exchange.body, contentType, wantText: true, wantRequisites: false })
      : null
  const payload = exchange?.payload ?? Buffer.alloc(0)
  return {
    url: page.url,
    outcome: page.outcome ?? 'OK',
    fetchedAt: page.fetchedAt ?? MADE_AT,
    fetchMs: 12,
    status: exchange?.status ?? 0,
    depth: 1,
    hops: 0,
    via: '',
    lane: 1,
    attempt: 1,
    bodyBytes: payload.length,
    digest: page.revisit?.digest ?? (exchange ? payloadDigest(payload) : ''),
    mime: (contentType ?? '').split(';')[0] ?? '',
    mimeDetected: parsed?.mime ?? '',
    charset: parsed?.charset ?? '',
    languages: parsed?.language ?? '',
    truncated: '',
    title: parsed?.title ?? '',
    description: parsed?.description ?? '',
    canonical: parsed?.canonical ?? '',
    redirect: page.redirect ?? '',
    text: parsed?.text ?? Buffer.alloc(0),
    outlinks: page.links?.length ?? 0,
    outlinksForeign: page.links?.length ?? 0,
    etag: page.headers?.etag ?? '',
    lastModified: page.headers?.['last-modified'] ?? '',
    refersToDate: page.revisit?.refersToDate ?? '',
    kept: '',
    warcOffset: -1,
    warcLength: 0,
  }
}
