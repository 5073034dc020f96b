/**
 * Rows of inboxes as SQLite stores them: a batch of many rows in one text, written by the sender's thread and
 * parsed by the reader's. A batch passes between threads and into the table as one value; single rows took
 * half of the CPU time of the ledger's thread.
 */
import type { Discovery } from '../../model/index.js'
import type { Append, InboxRow, LinkBatch, Pack } from '../index.js'

/** Links to one cell. */
export interface TextAppend extends Omit<Append, 'rows'> {
  readonly batches: readonly TextBatch[]
}

export interface TextBatch {
  readonly rows: number
  /** A JSON array of [url, depth, hops, score, via]. */
  readonly json: string
}

export interface StoredBatch extends TextBatch {
  /** The position of its last row; the rows before it have the positions before. */
  readonly position: number
  /** Rows up to this position are consumed. A batch is removed when its last row is. */
  readonly cursor: number
  readonly sender: string
}

export interface TextPack extends Omit<Pack, 'appends'> {
  readonly appends: readonly TextAppend[]
}

export interface TextLinkBatch extends Omit<LinkBatch, 'appends'> {
  readonly appends: readonly TextAppend[]
}

/** About as many as are read at a time: a longer batch would be parsed for each part again. */
const ROWS_PER_BATCH = 500

export function appendsAsText(appends: readonly Append[]): TextAppend[] {
  return appends.map(({ cell, group, rows }) => ({ cell, group, batches: batchesOf(rows) }))
}

export function packAsText(pack: Pack): TextPack {
  return { ...pack, appends: appendsAsText(pack.appends) }
}

export function linksAsText(batch: LinkBatch): TextLinkBatch {
  return { ...batch, appends: appendsAsText(batch.appends) }
}

export function batchesOf(rows: readonly Discovery[]): TextBatch[] {
  const batches: TextBatch[] = []
  for (let from = 0; from < rows.length; from += ROWS_PER_BATCH) {
    const part = rows.slice(from, from + ROWS_PER_BATCH)
    batches.push({ rows: part.length, json: JSON.stringify(part.map(fieldsOf)) })
  }
  return batches
}

function fieldsOf({ url, depth, hops, score, via }: Discovery): unknown[] {
  return [url, depth, hops, score, via]
}

/** The number of rows of a batch that are after the position `after` and not consumed. */
export function unreadRows({ position, rows, cursor }: StoredBatch, after: number): number {
  return Math.max(0, Math.min(rows, position - Math.max(after, cursor)))
}

/** The first unread rows of stored batches after the position `after`. */
export function rowsOf(
  batches: readonly StoredBatch[],
  after = 0,
  limit = Number.POSITIVE_INFINITY,
): InboxRow[] {
  const rows: InboxRow[] = []
  for (const batch of batches) {
    const first = batch.position - batch.rows + 1
    const fields = JSON.parse(batch.json) as [string, number, number, number, string][]
    const read = batch.rows - unreadRows(batch, after)
    for (let i = read; i < fields.length && rows.length < limit; i++) {
      const [url, depth, hops, score, via] = fields[i]
      rows.push({ position: first + i, url, depth, hops, score, via, sender: batch.sender })
    }
  }
  return rows
}
