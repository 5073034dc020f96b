/**
 * Converts complete row logs to Parquet and merges small Parquet files while the crawl runs. Each swap is one
 * step in the ledger; readers in between use the manifest or list again.
 */

import { rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { FileRow, Incarnation, Ledger, PackFile } from '../../ledger/index.js'
import type { Epoch, Millis } from '../../model/index.js'
import { TABLE_MERGER_GRACE_MS } from '../limits.js'
import { completeLogs, locateFile } from './file-names.js'
import { DAMAGED_FILE, type Manifest, type RowTable, type TableFiles } from './tables/index.js'
import type { Conversion, ConvertTask, ParquetInput, WrittenParquet } from './tables/parquet/index.js'

/** The slow work, done in a thread of its own. */
export interface TableWorker {
  convert(task: ConvertTask): Promise<Conversion>
  concat(inputs: readonly ParquetInput[], outPath: string): Promise<WrittenParquet>
  /** Places in `paths` of files that have the same columns. */
  groupBySchema(paths: readonly string[]): Promise<number[][]>
}

export interface TableMergerParts {
  /** True while an incarnation may still write to its files, even if the ledger has closed it. */
  readonly isAlive: (incarnation: Incarnation) => boolean
  /** The epoch of the coordinator's seat; null while another process holds the seat. */
  readonly seat: () => Epoch | null
  readonly directory: string
  readonly ledger: Ledger
  readonly worker: TableWorker
  readonly writeManifest: (manifest: Manifest) => void
  readonly now: () => Millis
  /** Receives a line for each damaged file, which stays as it is and listed. */
  readonly onDamage: (line: string) => void
}

type Table = RowTable

const TABLES: readonly Table[] = ['pages', 'links', 'items']
/** Logs that make one file; until then a full log is read as it is. */
const LOGS_PER_FILE = 10
/** Each stop of a crawl leaves a small file. */
const FILES_PER_MERGE = 10
const MERGED = 'merged-'
/** Kinds of the notes that conversion makes for the next crawl. */
const NOTES = { pages: 'hosts', links: 'nets', items: null } as const

export class TableMerger {
  readonly #parts: TableMergerParts
  #working: Promise<void> | null = null
  #merges = 0
  readonly #damaged = new Map<string, string>()
  /** Files no longer listed, and when they are removed; after a crash, recovery removes them. */
  #leaving: { readonly name: string; readonly goneAt: Millis }[] = []

  constructor(parts: TableMergerParts) {
    this.#parts = parts
  }

  /** One line for each file that could not be merged because it is damaged. */
  get damaged(): readonly string[] {
    return [...this.#damaged.values()]
  }

  /**
   * Converts and merges what is due, one task at a time. After a failure, such as a full disk, the next call
   * tries again, and `finish` for the last time.
   */
  async mergeIfDue(): Promise<void> {
    if (this.#parts.seat() === null) return
    this.#working ??= this.#convertAll(false)
      .catch(() => {})
      .finally(() => {
        this.#working = null
      })
    await this.#working
  }

  /** Resolves when no task is running. */
  async idle(): Promise<void> {
    await this.#working
  }

  /** At the end, converts every log and merges small files. The last incarnation must be closed. */
  async finish(): Promise<void> {
    await this.#working
    if (this.#parts.seat() === null) return
    await this.#convertAll(true)
    for (const table of TABLES) await this.#merge(table, 2)
    await this.#manifest()
    await this.#removeOld(Number.POSITIVE_INFINITY)
  }

  /**
   * An incarnation that has left may still be closing its files: its last logs wait until the store is
   * `closed`.
   */
  async #convertAll(closed: boolean): Promise<void> {
    const { ledger, now, isAlive } = this.#parts
    await this.#removeOld(now())
    for (const table of TABLES) {
      const files = await ledger.files()
      const ended = closed
        ? files
        : files.map(file => ({ ...file, closed: file.closed && !isAlive(file.incarnation) }))
      const logs = this.#sound(completeLogs(ended, `${table}-log`))
      while (logs.length >= (closed ? 1 : LOGS_PER_FILE)) {
        const batch = logs.splice(0, LOGS_PER_FILE)
        try {
          if (!(await this.#convert(table, batch))) return
        } catch (error) {
          this.#setAside(error, batch, closed)
          logs.unshift(...this.#sound(batch))
        }
      }
      await this.#merge(table, FILES_PER_MERGE)
    }
  }

  /**
   * The seat's epoch is part of the name: a process that lost the seat without knowing it writes and removes
   * only its own files. `LOGS_PER_FILE` logs become a final file; fewer logs become a small file, which is
   * merged later.
   */
  async #convert(table: Table, logs: readonly FileRow[]): Promise<boolean> {
    const { directory, worker, seat } = this.#parts
    const epoch = seat()
    if (epoch === null) return false
    const first = basename(logs[0].name, '.rows')
    const name = `tables/${table}/${logs.length < LOGS_PER_FILE ? '' : MERGED}${first}-s${epoch}.parquet`
    const pathOf = (log: FileRow) => locateFile(directory, log.name) ?? join(directory, log.name)
    const notes = NOTES[table]
    const learnedName = `learned/${notes}-${basename(name, '.parquet')}.gz`
    const { bytes, crc32, learned } = await worker.convert({
      table,
      logs: logs.map(log => ({ path: pathOf(log), committedBytes: log.bytes, crc32: log.crc32 })),
      outPath: join(directory, name),
      ...(notes === null ? {} : { learnedPath: join(directory, learnedName) }),
    })
    const inputs = logs.map(log => log.name)
    const outputs: PackFile[] = [{ name, kind: table, bytes, crc32 }]
    if (learned) outputs.push({ name: learnedName, kind: `learned-${notes}`, ...learned })
    return this.#swap(inputs, outputs, epoch)
  }

  async #merge(table: Table, atLeast: number): Promise<void> {
    const { directory, ledger, worker, seat } = this.#parts
    for (;;) {
      const epoch = seat()
      if (epoch === null) return
      const small = this.#sound(await ledger.files()).filter(
        file => file.kind === table && !basename(file.name).startsWith(MERGED),
      )
      if (small.length < atLeast) return
      const inputs = await this.#alike(small).catch(error => this.#setAside(error, small, true))
      if (!inputs) continue
      if (inputs.length < atLeast) return
      const first = basename(inputs[0].name, '.parquet')
      const name = `tables/${table}/${MERGED}${first}-s${epoch}-${++this.#merges}.parquet`
      const merged = await worker
        .concat(
          inputs.map(input => ({ path: join(directory, input.name), crc32: input.crc32 })),
          join(directory, name),
        )
        .catch(error => this.#setAside(error, inputs, true))
      if (!merged) continue
      const { bytes, crc32 } = merged
      const names = inputs.map(input => input.name)
      if (!(await this.#swap(names, [{ name, kind: table, bytes, crc32 }], epoch))) return
    }
  }

  /**
   * Files with the same columns: rows of items may have different ones, and so may files of an older version.
   */
  async #alike(files: readonly FileRow[]): Promise<FileRow[]> {
    const { directory, worker } = this.#parts
    const groups = await worker.groupBySchema(files.map(({ name }) => join(directory, name)))
    const largest = groups.reduce((a, b) => (b.length > a.length ? b : a), [])
    return largest.slice(0, FILES_PER_MERGE).map(i => files[i])
  }

  #sound(files: readonly FileRow[]): FileRow[] {
    return files.filter(({ name }) => !this.#damaged.has(name))
  }

  /**
   * Excludes the damaged file that the error names, so that the crawl goes on; it stays listed, for `repair`.
   * Throws other errors. `isFinal`: no file is being closed any more, so one that is missing is lost.
   */
  #setAside(error: unknown, files: readonly FileRow[], isFinal: boolean): null {
    const { directory, onDamage } = this.#parts
    const { code, path, message } = error as NodeJS.ErrnoException
    const isAbout = ({ name }: FileRow) =>
      path === join(directory, name) || path === `${join(directory, name)}.open`
    const file = files.find(isAbout)
    const isLost = isFinal && code === 'ENOENT' && file && locateFile(directory, file.name) === null
    if (!file || !(code === DAMAGED_FILE || isLost)) throw error
    const line = isLost ? `${file.name} is missing` : message.slice(message.indexOf(file.name))
    this.#damaged.set(file.name, line)
    onDamage(line)
    return null
  }

  /** Swaps in the ledger, and removes the inputs later: a reader may have just listed them. */
  async #swap(inputs: readonly string[], outputs: readonly PackFile[], epoch: Epoch): Promise<boolean> {
    const { directory, ledger } = this.#parts
    if (!(await ledger.swapFiles(inputs, outputs, epoch))) {
      for (const { name } of outputs) await rm(join(directory, name), { force: true })
      return false
    }
    await this.#manifest()
    const goneAt = this.#parts.now() + TABLE_MERGER_GRACE_MS
    this.#leaving.push(...inputs.map(name => ({ name, goneAt })))
    return true
  }

  async #removeOld(now: Millis): Promise<void> {
    const old = this.#leaving.filter(file => file.goneAt <= now)
    this.#leaving = this.#leaving.filter(file => file.goneAt > now)
    for (const { name } of old) await rm(join(this.#parts.directory, name), { force: true })
  }

  async #manifest(): Promise<void> {
    const { ledger, now, writeManifest } = this.#parts
    writeManifest(manifestOf(await ledger.files(), now()))
  }
}

/** The manifest of the files that the ledger lists. */
export function manifestOf(files: readonly FileRow[], writtenAt: Millis): Manifest {
  const tables = {
    pages: tableOf(files, 'pages'),
    links: tableOf(files, 'links'),
    items: tableOf(files, 'items'),
    sites: tableOf(files, 'sites'),
  }
  return { writtenAt, tables }
}

function tableOf(files: readonly FileRow[], table: string): TableFiles {
  const listed = (kind: string) =>
    files.filter(file => file.kind === kind).map(({ name, bytes, crc32 }) => ({ name, bytes, crc32 }))
  return { files: listed(table), logs: listed(`${table}-log`) }
}
