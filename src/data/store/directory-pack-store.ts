/** Packs in a directory: WARCs with their indexes, and row logs that later become Parquet. */
import { mkdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { type Clock, LIMITS } from '../../model/index.js'
import { type AppendFile, syncFolder } from './append-file.js'
import { ByteSink } from './bytes/index.js'
import { type FileOwner, STORE_FOLDERS } from './file-names.js'
import { diskFailure, OpenFiles } from './open-files.js'
import type { AppendResult, CloseResult, PackBytes, PackRows, PackStore } from './pack-store.js'
import { type RowTable, segmentBuffers } from './tables/index.js'
import { recoverFile } from './truncate-to-committed.js'
import { appendCdxjLines, finishIndex, type IndexTask, type WarcRecords } from './warc/index.js'

export interface DirectoryPackStoreOptions {
  readonly directory: string
  readonly owner: FileOwner
  readonly clock: Clock
  /** Writes the first record of each WARC; null with `--archive none`. */
  readonly records: WarcRecords | null
  /** Fields of that first record, see `warcInfo`. */
  readonly info: Readonly<Record<string, string>>
  /** Runs `finishIndex`; in a worker thread where there is one. In this thread when absent. */
  readonly sortIndex?: (task: IndexTask) => Promise<void>
  /** Files get higher numbers than this: earlier ones may belong to this incarnation too. */
  readonly firstNumber?: number
  /** Smaller ones for tests. */
  readonly limits?: Partial<StoreLimits>
}

export interface StoreLimits {
  readonly warcBytes: number
  /** A log is full with this many rows or bytes. */
  readonly pageRows: number
  readonly linkRows: number
  readonly logBytes: number
}

/** Where the records of a pack begin. */
interface Place {
  readonly warc: string
  readonly baseOffset: number
}

/** What follows the rows of a pack in its log. */
type Rest = Partial<Pick<PackBytes, 'texts' | 'hosts'>>

const NO_ROWS = Buffer.alloc(0)

interface Write {
  readonly file: AppendFile
  readonly buffers: readonly Buffer[]
}

export class DirectoryPackStore implements PackStore {
  readonly #options: DirectoryPackStoreOptions
  readonly #limits: StoreLimits
  readonly #files: OpenFiles
  readonly #sorting = new Set<Promise<void>>()
  readonly #problems: string[] = []
  #isReady = false
  #isBusy = false

  constructor(options: DirectoryPackStoreOptions) {
    this.#options = options
    this.#limits = {
      warcBytes: LIMITS.warcBytes,
      pageRows: LIMITS.rowGroupRows,
      linkRows: LIMITS.linkGroupRows,
      logBytes: LIMITS.rowGroupBytes,
      ...options.limits,
    }
    this.#files = new OpenFiles({
      directory: options.directory,
      owner: options.owner,
      warcExtension: options.records?.extension ?? '',
      ...(options.firstNumber !== undefined && { firstNumber: options.firstNumber }),
      finish: file => this.#finish(file),
    })
  }

  append(pack: PackBytes): Promise<AppendResult> {
    return this.#alone(async () => {
      this.#files.begin()
      try {
        await this.#prepareFolders()
        const { place, writes } = await this.#archiveWrites(pack)
        writes.push(...(await this.#tableWrites(pack, place)))
        await allDone(writes.map(({ file, buffers }) => file.append(buffers)))
        await allDone(this.#files.newFolders.map(syncFolder))
        return { ok: true, files: this.#files.touched }
      } catch (error) {
        const failure = diskFailure(error)
        if (!failure) throw error
        await this.#files.retire()
        return failure
      }
    })
  }

  undo(): Promise<void> {
    return this.#alone(() => this.#files.undo())
  }

  close(): Promise<CloseResult> {
    return this.#alone(async () => {
      const files = [...(await this.#files.rollAll()), ...this.#files.broken]
      for (const file of this.#files.broken) {
        const found = recoverFile(this.#options.directory, file, 'gone')
        if (found < file.bytes) this.#problems.push(`${file.name}: ${file.bytes - found} bytes are lost`)
      }
      await Promise.all(this.#sorting)
      return { files, problems: this.#problems }
    })
  }

  abandon(): Promise<void> {
    return this.#alone(async () => {
      await this.#files.abandon()
      await Promise.all(this.#sorting)
    })
  }

  /** The WARC is rolled before its size would be exceeded; a pack larger than that gets a file of its own. */
  async #archiveWrites(pack: PackBytes): Promise<{ place: Place; writes: Write[] }> {
    if (pack.warc.length === 0) return { place: { warc: '', baseOffset: 0 }, writes: [] }
    const current = this.#files.current('warc')
    if (current && current.bytes + pack.warc.length > this.#limits.warcBytes) {
      await this.#files.roll('warc')
      await this.#files.roll('cdxj-log')
    }
    const warc = await this.#files.touch('warc', 0)
    const index = await this.#files.touch('cdxj-log', pack.cdxj.rows)
    const info = warc.bytes === 0 ? this.#info(warc.name) : Buffer.alloc(0)
    const baseOffset = warc.bytes + info.length
    const lines = new ByteSink(pack.cdxj.bytes.length * 2)
    appendCdxjLines(lines, pack.cdxj.bytes, basename(warc.name), baseOffset)
    const writes = [
      { file: warc, buffers: [info, pack.warc] },
      { file: index, buffers: [lines.view()] },
    ]
    return { place: { warc: warc.name, baseOffset }, writes }
  }

  async #tableWrites(pack: PackBytes, place: Place): Promise<Write[]> {
    const writes: Write[] = []
    const add = async (table: RowTable, { bytes, rows }: PackRows, maxRows: number, more: Rest = {}) => {
      if (rows === 0) return
      const kind = `${table}-log` as const
      const current = this.#files.current(kind)
      if (current && (current.rows >= maxRows || current.bytes >= this.#limits.logBytes))
        await this.#files.roll(kind)
      const header = { table, pack: pack.id, agent: pack.agent, ...place }
      const buffers = segmentBuffers(header, bytes)
      for (const table of ['texts', 'hosts'] as const)
        buffers.push(...segmentBuffers({ ...header, table }, more[table] ?? NO_ROWS))
      writes.push({ file: await this.#files.touch(kind, rows), buffers })
    }
    await add('pages', pack.pages, this.#limits.pageRows, pack)
    await add('links', pack.links, this.#limits.linkRows)
    if (pack.items) await add('items', pack.items, this.#limits.pageRows)
    return writes
  }

  #info(name: string): Buffer {
    const { records, clock, info } = this.#options
    if (!records) throw new Error('a pack with archived records came to a store without an archive')
    const sink = new ByteSink()
    records.appendInfo(sink, basename(name), clock.now(), info)
    return sink.view()
  }

  /** Everything in the file is committed. Indexes are sorted in the background. */
  async #finish(file: AppendFile): Promise<void> {
    if (file.kind !== 'cdxj-log') {
      await file.finish()
      return
    }
    await file.close()
    const sorting = this.#sort({ logPath: file.openPath, bytes: file.bytes, outPath: file.path })
    this.#sorting.add(sorting)
    sorting.finally(() => this.#sorting.delete(sorting))
  }

  /** A failure loses nothing: recovery sorts the log. */
  async #sort(task: IndexTask): Promise<void> {
    try {
      if (this.#options.sortIndex) await this.#options.sortIndex(task)
      else finishIndex(task)
    } catch (error) {
      this.#problems.push(`${task.outPath} could not be written: ${String(error)}`)
    }
  }

  async #prepareFolders(): Promise<void> {
    if (this.#isReady) return
    const { directory } = this.#options
    for (const folder of STORE_FOLDERS) await mkdir(join(directory, folder), { recursive: true })
    for (const folder of ['.', 'tables']) await syncFolder(join(directory, folder))
    this.#isReady = true
  }

  async #alone<T>(work: () => Promise<T>): Promise<T> {
    if (this.#isBusy) throw new Error('one call to a pack store at a time')
    this.#isBusy = true
    try {
      return await work()
    } finally {
      this.#isBusy = false
    }
  }
}

/** Waits for all even when one fails: no write may be under way while files are truncated. */
async function allDone(work: readonly Promise<void>[]): Promise<void> {
  for (const result of await Promise.allSettled(work)) if (result.status === 'rejected') throw result.reason
}
