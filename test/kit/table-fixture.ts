import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parquetReadObjects } from 'hyparquet'
import { expect } from 'vitest'
import { DirectoryPackStore, PackBuilder, TableMerger, type TableWorker } from '../../src/data/store/index.js'
import type { Manifest } from '../../src/data/store/tables/index.js'
import {
  type ConvertTask,
  concatParquet,
  convertLogs,
  groupBySchema,
} from '../../src/data/store/tables/parquet/index.js'
import type { Incarnation, Ledger } from '../../src/ledger/index.js'
import { openSqliteLedger } from '../../src/ledger/sqlite/index.js'
import { recoverDirectory, removeStrayTables } from '../../src/runtime/recovery/recovery.js'
import { ManualClock } from './manual-clock.js'
import { inDirectory, sampleExchange, sampleRow } from './store-samples.js'

const CRAWL = 'crawl'
export const LINKS_PER_PAGE = 2
export const LONG_MS = 60_000

/**
 * A crawl directory whose every pack is a log of its own; one agent writes, one coordinator keeps the tables.
 */
export class TableFixture {
  readonly clock = new ManualClock()
  readonly ledger: Ledger
  /** Logs that became one file, each time. */
  readonly converted: number[] = []
  manifest: Manifest | null = null
  readonly damage: string[] = []
  readonly #directory: string
  readonly #alive = new Set<Incarnation>()
  #store: DirectoryPackStore | null = null
  #incarnation: Incarnation = 0
  #coordinator: Incarnation = 0
  #pages = 0

  constructor(directory: string) {
    this.#directory = directory
    const path = join(directory, 'ledger.db')
    this.ledger = openSqliteLedger(path, { create: true, now: () => this.clock.now() })
  }

  async keeper(worker: Partial<TableWorker> = {}): Promise<TableMerger> {
    await this.ledger.leave(this.#coordinator)
    this.#coordinator = await this.ledger.join('coordinator', 0)
    const seat = await this.ledger.takeSeat(this.#coordinator, LONG_MS)
    expect(seat).not.toBeNull()
    return new TableMerger({
      isAlive: incarnation => this.#alive.has(incarnation),
      seat: () => seat,
      directory: this.#directory,
      ledger: this.ledger,
      worker: {
        convert: async (task: ConvertTask) => {
          this.converted.push(task.logs.length)
          return convertLogs(task)
        },
        concat: async (inputs, outPath) => concatParquet(inputs, outPath),
        groupBySchema: async paths => groupBySchema(paths),
        ...worker,
      },
      now: () => this.clock.now(),
      onDamage: line => this.damage.push(line),
      writeManifest: manifest => {
        this.manifest = manifest
      },
    })
  }

  async begin(): Promise<void> {
    this.#incarnation = await this.ledger.join('agent')
    this.#alive.add(this.#incarnation)
    this.#store = new DirectoryPackStore({
      directory: this.#directory,
      owner: { crawl: CRAWL, incarnation: this.#incarnation },
      clock: this.clock,
      records: null,
      info: {},
      limits: { pageRows: 1, linkRows: 1 },
    })
  }

  /** Stores a pack of one page; what is not committed, nobody has heard of. */
  async page(committed = true): Promise<void> {
    const url = `http://example.org/${++this.#pages}`
    const builder = new PackBuilder({ agent: 'agent', records: null, tables: true })
    builder.add({
      leaseKey: 'example.org',
      row: sampleRow({ url }),
      exchange: sampleExchange({ url }),
      links: { targets: [`http://a.org/${this.#pages}`, 'http://b.org/'], kinds: [1, 1] },
    })
    const id = `${this.#incarnation}-${this.#pages}`
    const stored = await this.#store!.append(builder.toPack(id))
    if (!stored.ok) throw new Error(stored.detail)
    if (!committed) return
    const nothing = new Uint8Array(0)
    const committing = await this.ledger.commit({
      id,
      incarnation: this.#incarnation,
      cells: [],
      appends: [],
      files: stored.files,
      fetches: 0,
      lanes: [],
      received: { links: 0, pages: nothing, sites: nothing },
      waits: [],
    })
    expect(committing.status).toBe('committed')
  }

  async pages(count: number): Promise<void> {
    for (let i = 0; i < count; i++) await this.page()
  }

  /** The agent leaves; its files are closed a little later. */
  async leave(): Promise<void> {
    await this.ledger.leave(this.#incarnation)
  }

  async close(): Promise<void> {
    await this.#store!.close()
    this.#alive.delete(this.#incarnation)
  }

  /** The process is gone, and another finds the directory. */
  async crash(): Promise<void> {
    await this.#store!.abandon()
    this.#alive.clear()
    await this.ledger.endAllLeases()
    await this.ledger.join('coordinator', 0)
    await recoverDirectory(this.#directory, CRAWL, this.ledger, () => false, 'gone')
    await removeStrayTables(this.#directory, this.ledger)
  }

  /** Numbers of the pages that the Parquet files in the folder hold, whoever lists them. */
  async inParquet(): Promise<number[]> {
    const urls = (await this.#rows('pages')).map(({ url }) => String(url))
    return urls.map(url => Number(url.slice(url.lastIndexOf('/') + 1))).sort((a, b) => a - b)
  }

  async linksInParquet(): Promise<number> {
    return (await this.#rows('links')).length
  }

  async #rows(table: 'pages' | 'links'): Promise<Record<string, unknown>[]> {
    const rows: Record<string, unknown>[] = []
    for (const name of this.entries(table, '.parquet')) {
      const bytes = readFileSync(join(this.#directory, 'tables', table, name))
      const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer
      rows.push(...(await parquetReadObjects({ file })))
    }
    return rows
  }

  flip(name: string, at: number): void {
    const path = join(this.#directory, name)
    const bytes = readFileSync(path)
    bytes[at] ^= 1
    writeFileSync(path, bytes)
  }

  remove(name: string): void {
    rmSync(join(this.#directory, name))
  }

  entries(table: 'pages' | 'links', ending: string): string[] {
    return readdirSync(join(this.#directory, 'tables', table)).filter(name => name.includes(ending))
  }

  /** What the manifest says there is of pages: files of Parquet, and logs besides. */
  get listed(): { readonly files: number; readonly logs: number } | null {
    if (this.manifest === null) return null
    const { files, logs } = this.manifest.tables.pages
    return { files: files.length, logs: logs.length }
  }
}

export const inFixture = (work: (fixture: TableFixture) => Promise<void>) => () =>
  inDirectory(async directory => {
    const fixture = new TableFixture(directory)
    try {
      await work(fixture)
    } finally {
      await fixture.ledger.close()
    }
  })
