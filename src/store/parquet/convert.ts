/** Row logs in, a Parquet file out. Synchronous and free of anything but paths: meant for a worker thread. */
import { LIMITS } from '../../model/limits.js'
import { writeDurably } from '../durable.js'
import { DamagedFileError, type RowTable, readSegments, type Segment } from '../segment.js'
import type { GroupColumn } from './column.js'
import { LinkTable } from './link-table.js'
import { PageTable } from './page-table.js'
import { ParquetFile } from './parquet-file.js'

export interface ConvertTask {
  readonly table: RowTable
  readonly logs: readonly RowLog[]
  readonly outPath: string
}

interface RowLog {
  readonly path: string
  readonly committedBytes: number
}

export interface ParquetSize {
  readonly rows: number
  readonly bytes: number
}

/** What turns segments into columns. */
interface Table {
  readonly columns: readonly GroupColumn[]
  /** True where a row group may end. */
  readonly isComplete: boolean
  /** Returns the number of rows. */
  addSegment(segment: Segment): number
}

const ROWS_PER_GROUP = { pages: LIMITS.rowGroupRows, links: LIMITS.linkGroupRows }

/** Writes the committed rows of the logs to `outPath`, whole or not at all. Throws `DamagedFileError` on a bad log. */
export function convertLogs(task: ConvertTask): ParquetSize {
  return writeDurably(task.outPath, descriptor => {
    const table = takeTable(task.table)
    const file = new ParquetFile(descriptor, table.columns)
    let rows = 0
    for (const { path, committedBytes } of task.logs) {
      for (const segment of readSegments(path, committedBytes)) {
        rows += table.addSegment(segment)
        const isFull = rows >= ROWS_PER_GROUP[task.table] || file.bufferedBytes >= LIMITS.rowGroupBytes
        if (!isFull || !table.isComplete) continue
        file.endRowGroup()
        rows = 0
      }
      if (!table.isComplete) throw new DamagedFileError(path, committedBytes, 'texts of its rows are missing')
    }
    if (rows > 0) file.endRowGroup()
    const size = file.end()
    spare.set(task.table, table)
    return size
  })
}

/**
 * What the last conversion worked with, whose memory the next one uses: fresh columns each time are tens of megabytes
 * that only a full collection gives back, and this thread makes so little else that none comes. One that failed leaves none.
 */
const spare = new Map<RowTable, Table>()

function takeTable(name: RowTable): Table {
  const table = spare.get(name)
  spare.delete(name)
  return table ?? (name === 'pages' ? new PageTable() : new LinkTable())
}
