/**
 * Rows of inboxes as SQLite keeps them: many in one text, a batch, made where the rows are and read where
 * they are wanted. A batch passes between threads and into the table as one piece; a row each was half of
 * what the ledger's thread did.
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
  /** Of its last row; the others have those before it. */
  readonly position: number
  /** Rows up to this position are in committed packs: a batch is there until its last row is. */
  readonly cursor: number
  readonly sender: string
}

export interface TextPack extends Omit<Pack, 'appends'> {
  readonly appends: readonly TextAppend[]
}

export interface TextLinkBatch extends Omit<LinkBatch, 'appends'> {
  readonly appends: readonly TextAppend[]
}

/** One that is read in parts is parsed for each of them, so it is about as long as a part. */
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

/** How many rows of a batch lie behind `after`, and are in no committed pack. */
export function unreadRows({ position, rows, cursor }: StoredBatch, after: number): number {
  return Math.max(0, Math.min(rows, position - Math.max(after, cursor)))
}

/** The first unread rows of stored batches, behind the position `after`. */
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
