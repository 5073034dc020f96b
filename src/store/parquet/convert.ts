/** A row log in, a Parquet file out. Synchronous and free of anything but paths: meant for a worker thread. */
import { LIMITS } from '../../model/limits.js'
import { writeDurably } from '../durable.js'
import { type RowTable, readLinkRows, readPageRows } from '../segment.js'
import { Column } from './column.js'
import { LINK_COLUMNS, LinkTable } from './link-table.js'
import { PAGE_COLUMNS, PageTable } from './page-table.js'
import { ParquetFile } from './parquet-file.js'

export interface ConvertTask {
  readonly table: RowTable
  readonly logPath: string
  readonly committedBytes: number
  readonly outPath: string
}

export interface ParquetSize {
  readonly rows: number
  readonly bytes: number
}

/** A log is as long as one row group should be, and its last pack. Twice that begins another group. */
const SLACK = 2

/** Writes the committed rows of a log to `outPath`, whole or not at all. Throws `DamagedFileError` on a bad log. */
export function convertLog(task: ConvertTask): ParquetSize {
  return writeDurably(task.outPath, descriptor => {
    const file = new ParquetFile(descriptor, takeColumns(task.table))
    const maxRows = SLACK * (task.table === 'pages' ? LIMITS.rowGroupRows : LIMITS.linkGroupRows)
    let rows = 0
    for (const _ of task.table === 'pages' ? pages(file, task) : links(file, task)) {
      rows++
      // Looking at the size of all columns costs as much as a row, so only now and then.
      if (rows < maxRows && (rows % 64 > 0 || file.bufferedBytes < LIMITS.rowGroupBytes)) continue
      file.endRowGroup()
      rows = 0
    }
    if (rows > 0) file.endRowGroup()
    const size = file.end()
    spare.set(task.table, file.columns)
    return size
  })
}

/**
 * Columns of the last conversion, whose memory the next one uses: fresh ones each time are tens of megabytes that only a
 * full collection gives back, and this thread makes so little else that none comes. One that failed leaves none.
 */
const spare = new Map<RowTable, readonly Column[]>()

function takeColumns(table: RowTable): readonly Column[] {
  const columns = spare.get(table)
  spare.delete(table)
  return columns ?? (table === 'pages' ? PAGE_COLUMNS : LINK_COLUMNS).map(spec => new Column(spec))
}

function* pages(file: ParquetFile, task: ConvertTask): Generator<void> {
  const table = new PageTable(file)
  for (const [row, segment] of readPageRows(task.logPath, task.committedBytes)) {
    table.add(row, segment)
    yield
  }
}

function* links(file: ParquetFile, task: ConvertTask): Generator<void> {
  const table = new LinkTable(file)
  for (const link of readLinkRows(task.logPath, task.committedBytes)) {
    table.add(link)
    yield
  }
}
