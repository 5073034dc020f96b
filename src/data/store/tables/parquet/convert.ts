/**
 * Converts row logs to a Parquet file. Synchronous, and its parameters are plain values: meant for a worker
 * thread.
 */
import { mkdirSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { type Crc32, writeDurably } from '../../../../files/index.js'
import { LIMITS } from '../../../../model/index.js'
import {
  DamagedFileError,
  HostNotes,
  type LearnedNotes,
  NetNotes,
  type RowTable,
  readSegments,
  type Segment,
  WordNotes,
} from '../index.js'
import type { GroupColumn } from './column.js'
import { ItemTable, itemColumnsIn } from './item-table.js'
import { LinkTable } from './link-table.js'
import { PageTable } from './page-table.js'
import { ParquetFile } from './parquet-file.js'

export interface ConvertTask {
  readonly table: RowTable
  readonly logs: readonly RowLog[]
  readonly outPath: string
  /** File for the notes for the next crawl; none if absent. */
  readonly learnedPath?: string
}

interface RowLog {
  readonly path: string
  readonly committedBytes: number
  /** Digest of the committed bytes; not compared if absent. */
  readonly crc32?: Crc32 | null
}

export interface WrittenParquet {
  readonly rows: number
  readonly bytes: number
  readonly crc32: Crc32
}

export interface Conversion extends WrittenParquet {
  /** The file of notes; null if there is none. */
  readonly learned: { readonly bytes: number; readonly crc32: Crc32 } | null
}

/** Turns segments into columns. */
interface Table {
  readonly columns: readonly GroupColumn[]
  /** True where a row group may end. */
  readonly isComplete: boolean
  /** Returns the number of rows. */
  addSegment(segment: Segment): number
}

const ROWS_PER_GROUP = {
  pages: LIMITS.rowGroupRows,
  links: LIMITS.linkGroupRows,
  items: LIMITS.rowGroupRows,
}

/** Writes the committed rows of the logs to `outPath` atomically. Throws `DamagedFileError`. */
export function convertLogs(task: ConvertTask): Conversion {
  const { learnedPath } = task
  if (learnedPath === undefined) return { ...convert(task, null), learned: null }
  mkdirSync(dirname(learnedPath), { recursive: true })
  let noted = 0
  const { result, crc32 } = writeDurably(learnedPath, notes =>
    convert(task, bytes => {
      notes.write(bytes)
      noted += bytes.length
    }),
  )
  if (noted === 0) rmSync(learnedPath)
  return { ...result, learned: noted === 0 ? null : { bytes: noted, crc32 } }
}

function convert(task: ConvertTask, note: ((bytes: Buffer) => void) | null): WrittenParquet {
  const { result, crc32 } = writeDurably(task.outPath, out => {
    const learned = note === null ? [] : notesOf(task.table)
    const table = takeTable(task)
    const file = new ParquetFile(out, table.columns)
    let rows = 0
    for (const { path, committedBytes, crc32 } of task.logs) {
      for (const segment of readSegments(path, committedBytes, null, 0, crc32)) {
        rows += table.addSegment(segment)
        for (const notes of learned) {
          notes.addSegment(segment)
          note?.(notes.take(false))
        }
        const isFull = rows >= ROWS_PER_GROUP[task.table] || file.bufferedBytes >= LIMITS.rowGroupBytes
        if (!isFull || !table.isComplete) continue
        file.endRowGroup()
        rows = 0
      }
      if (!table.isComplete) throw new DamagedFileError(path, committedBytes, 'texts of its rows are missing')
    }
    if (rows > 0) file.endRowGroup()
    for (const notes of learned) note?.(notes.take(true))
    const size = file.end()
    if (task.table !== 'items') spare.set(task.table, table)
    return size
  })
  return { ...result, crc32 }
}

function notesOf(table: RowTable): LearnedNotes[] {
  return table === 'links' ? [new NetNotes()] : [new HostNotes(), new WordNotes()]
}

function* segmentsIn(logs: readonly RowLog[]): Generator<Segment> {
  for (const { path, committedBytes } of logs) yield* readSegments(path, committedBytes)
}

/**
 * Tables of the last conversion, whose memory the next one reuses. New columns would take tens of megabytes
 * each time, which only a full garbage collection frees, and this thread makes too little garbage to start
 * one. A failed conversion leaves none.
 */
const spare = new Map<RowTable, Table>()

function takeTable({ table: name, logs }: ConvertTask): Table {
  // Its columns depend on the rows.
  if (name === 'items') return new ItemTable(itemColumnsIn(segmentsIn(logs)))
  const table = spare.get(name)
  spare.delete(name)
  return table ?? (name === 'pages' ? new PageTable() : new LinkTable())
}
