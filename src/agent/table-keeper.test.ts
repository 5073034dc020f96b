import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parquetReadObjects } from 'hyparquet'
import { describe, expect, it } from 'vitest'
import { ManualClock } from '../../test/kit/manual-clock.js'
import { inDirectory, sampleExchange, sampleRow } from '../../test/kit/store-samples.js'
import { type Incarnation, type Ledger, openSqliteLedger } from '../cluster/index.js'
import { recoverDirectory, removeStrayTables } from '../compose/recovery.js'
import {
  type ConvertTask,
  concatParquet,
  convertLogs,
  DirectoryPackStore,
  type Manifest,
  PackBuilder,
} from '../store/index.js'
import { TableKeeper, type TableWorker } from './table-keeper.js'

const CRAWL = 'crawl'
const LINKS_PER_PAGE = 2
const LONG_MS = 60_000

/** A crawl directory whose every pack is a log of its own; one agent writes, one coordinator keeps the tables. */
class Desk {
  readonly clock = new ManualClock()
  readonly ledger: Ledger
  /** Logs that became one file, each time. */
  readonly converted: number[] = []
  manifest: Manifest | null = null
  readonly #directory: string
  readonly #alive = new Set<Incarnation>()
  #store: DirectoryPackStore | null = null
  #life: Incarnation = 0
  #coordinator: Incarnation = 0
  #pages = 0

  constructor(directory: string) {
    this.#directory = directory
    const path = join(directory, 'ledger.db')
    this.ledger = openSqliteLedger(path, { create: true, now: () => this.clock.now() })
  }

  async keeper(worker: Partial<TableWorker> = {}): Promise<TableKeeper> {
    await this.ledger.leave(this.#coordinator)
    this.#coordinator = await this.ledger.join('coordinator', 0)
    const seat = await this.ledger.takeSeat(this.#coordinator, LONG_MS)
    expect(seat).not.toBeNull()
    return new TableKeeper({
      isAlive: life => this.#alive.has(life),
      seat: () => seat,
      directory: this.#directory,
      ledger: this.ledger,
      worker: {
        convert: async (task: ConvertTask) => {
          this.converted.push(task.logs.length)
          return convertLogs(task)
        },
        concat: async (inputs, outPath) => concatParquet(inputs, outPath),
        ...worker,
      },
      now: () => this.clock.now(),
      writeManifest: manifest => {
        this.manifest = manifest
      },
    })
  }

  async begin(): Promise<void> {
    this.#life = await this.ledger.join('agent')
    this.#alive.add(this.#life)
    this.#store = new DirectoryPackStore({
      directory: this.#directory,
      owner: { crawl: CRAWL, incarnation: this.#life },
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
      tenancy: 'example.org',
      row: sampleRow({ url }),
      exchange: sampleExchange({ url }),
      links: { targets: [`http://a.org/${this.#pages}`, 'http://b.org/'], kinds: [1, 1] },
    })
    const id = `${this.#life}-${this.#pages}`
    const stored = await this.#store!.append(builder.toPack(id))
    if (!stored.ok) throw new Error(stored.detail)
    if (!committed) return
    const nothing = new Uint8Array(0)
    const committing = await this.ledger.commit({
      id,
      incarnation: this.#life,
      cells: [],
      appends: [],
      files: stored.files,
      fetches: 0,
      lanes: [],
      heard: { links: 0, pages: nothing, sites: nothing },
      waits: [],
    })
    expect(committing.status).toBe('committed')
  }

  async pages(count: number): Promise<void> {
    for (let i = 0; i < count; i++) await this.page()
  }

  /** The agent leaves; its files are closed a little later. */
  async leave(): Promise<void> {
    await this.ledger.leave(this.#life)
  }

  async close(): Promise<void> {
    await this.#store!.close()
    this.#alive.delete(this.#life)
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
    const urls: string[] = []
    for (const name of this.entries('pages', '.parquet')) {
      const bytes = readFileSync(join(this.#directory, 'tables/pages', name))
      const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer
      urls.push(...(await parquetReadObjects({ file, columns: ['url'] })).map(({ url }) => String(url)))
    }
    return urls.map(url => Number(url.slice(url.lastIndexOf('/') + 1))).sort((a, b) => a - b)
  }

  async linksInParquet(): Promise<number> {
    let rows = 0
    for (const name of this.entries('links', '.parquet')) {
      const bytes = readFileSync(join(this.#directory, 'tables/links', name))
      const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer
      rows += (await parquetReadObjects({ file })).length
    }
    return rows
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

const inDesk = (work: (desk: Desk) => Promise<void>) => () =>
  inDirectory(async directory => {
    const desk = new Desk(directory)
    try {
      await work(desk)
    } finally {
      await desk.ledger.close()
    }
  })

const upTo = (count: number) => Array.from({ length: count }, (_, i) => i + 1)

describe('while the crawl goes on', () => {
  it(
    'ten full logs become one file, and fewer wait; the one being written is left alone',
    inDesk(async desk => {
      const keeper = await desk.keeper()
      await desk.begin()
      // The tenth log is the newest of its life: a pack may still come to it.
      await desk.pages(10)
      await keeper.tend()
      expect(desk.converted).toEqual([])
      await desk.page()
      await keeper.tend()
      expect(desk.converted).toEqual([10, 10])
      expect(desk.listed).toEqual({ files: 1, logs: 1 })
      expect(await desk.inParquet()).toEqual(upTo(10))
      await desk.pages(20)
      await keeper.tend()
      expect(desk.converted).toEqual([10, 10, 10, 10, 10, 10])
      expect(desk.listed).toEqual({ files: 3, logs: 1 })
      expect(await desk.inParquet()).toEqual(upTo(30))
      await desk.close()
    }),
  )

  it(
    'the logs stay for whoever has just listed them, and then go',
    inDesk(async desk => {
      const keeper = await desk.keeper()
      await desk.begin()
      await desk.pages(11)
      await keeper.tend()
      expect(desk.entries('pages', '.rows')).toHaveLength(11)
      desk.clock.advance(9_000)
      await keeper.tend()
      expect(desk.entries('pages', '.rows')).toHaveLength(11)
      desk.clock.advance(1_000)
      await keeper.tend()
      expect(desk.entries('pages', '.rows')).toHaveLength(1)
      await desk.close()
    }),
  )

  it(
    'the last log of a life that has left is not touched before its files are closed',
    inDesk(async desk => {
      const keeper = await desk.keeper()
      await desk.begin()
      await desk.pages(10)
      await desk.leave()
      await keeper.tend()
      expect(desk.converted).toEqual([])
      await desk.close()
      await keeper.tend()
      expect(desk.converted).toEqual([10, 10])
    }),
  )

  it(
    'what failed is tried again, and nothing is lost by it',
    inDesk(async desk => {
      let isFull = true
      const keeper = await desk.keeper({
        convert: async task => {
          if (isFull) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
          return convertLogs(task)
        },
      })
      await desk.begin()
      await desk.pages(11)
      await keeper.tend()
      expect(await desk.inParquet()).toEqual([])
      isFull = false
      await keeper.tend()
      expect(await desk.inParquet()).toEqual(upTo(10))
      await desk.close()
    }),
  )
})

describe('at the end', () => {
  it(
    'no row is left outside of Parquet, in as few files as there can be, and nothing else is in the folder',
    inDesk(async desk => {
      const keeper = await desk.keeper()
      await desk.begin()
      await desk.pages(11)
      await keeper.tend()
      await desk.pages(12)
      await desk.leave()
      await desk.close()
      await keeper.finish()
      expect(await desk.inParquet()).toEqual(upTo(23))
      expect(await desk.linksInParquet()).toBe(23 * LINKS_PER_PAGE)
      // 10 and 10, and the other three.
      expect(desk.listed).toEqual({ files: 3, logs: 0 })
      for (const table of ['pages', 'links'] as const) expect(desk.entries(table, '.rows')).toEqual([])
    }),
  )

  it(
    'what several stops left small becomes one file',
    inDesk(async desk => {
      for (let stop = 0; stop < 3; stop++) {
        const keeper = await desk.keeper()
        await desk.begin()
        await desk.pages(3)
        await desk.leave()
        await desk.close()
        await keeper.finish()
      }
      expect(await desk.inParquet()).toEqual(upTo(9))
      // Two small ones were merged by the second stop; that file counts as large, and the third stop's stands beside it.
      expect(desk.listed).toEqual({ files: 2, logs: 0 })
    }),
  )
})

describe('after a crash', () => {
  it(
    'between the file and its swap, the rows are in Parquet once',
    inDesk(async desk => {
      const keeper = await desk.keeper({
        convert: async task => {
          convertLogs(task)
          throw new Error('killed')
        },
      })
      await desk.begin()
      await desk.pages(11)
      await keeper.tend()
      expect(desk.entries('pages', '.parquet')).toHaveLength(1)
      await desk.crash()
      expect(desk.entries('pages', '.parquet')).toEqual([])
      await (await desk.keeper()).finish()
      expect(await desk.inParquet()).toEqual(upTo(11))
      expect(await desk.linksInParquet()).toBe(11 * LINKS_PER_PAGE)
    }),
  )

  it(
    'between the swap and the removal of the logs, the rows are in Parquet once, and the logs go',
    inDesk(async desk => {
      const keeper = await desk.keeper()
      await desk.begin()
      await desk.pages(11)
      await keeper.tend()
      expect(desk.entries('pages', '.rows')).toHaveLength(11)
      await desk.crash()
      expect(desk.entries('pages', '.rows')).toHaveLength(1)
      await (await desk.keeper()).finish()
      expect(await desk.inParquet()).toEqual(upTo(11))
      expect(desk.entries('pages', '.rows')).toEqual([])
    }),
  )

  it(
    'a pack that was stored and not committed is in no table',
    inDesk(async desk => {
      await desk.keeper()
      await desk.begin()
      await desk.pages(3)
      await desk.page(false)
      await desk.crash()
      await (await desk.keeper()).finish()
      expect(await desk.inParquet()).toEqual(upTo(3))
    }),
  )
})

describe('somebody else has the coordinator’s seat', () => {
  it(
    'and the tables stay as they are',
    inDesk(async desk => {
      const keeper = await desk.keeper()
      await desk.begin()
      await desk.pages(11)
      desk.clock.advance(2 * LONG_MS)
      expect(await desk.ledger.takeSeat(await desk.ledger.join('another', 0), LONG_MS)).not.toBeNull()
      await keeper.tend()
      expect(desk.converted).toEqual([10])
      expect(desk.entries('pages', '.parquet')).toEqual([])
      expect((await desk.ledger.files()).filter(({ kind }) => kind === 'pages-log')).toHaveLength(11)
      await desk.close()
    }),
  )
})
