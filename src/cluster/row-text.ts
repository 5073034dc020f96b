/**
 * Rows for inboxes on their way to SQLite: one text a cell, made where the rows are. It is what the statement takes
 * anyway, and passes between threads as one piece, where thousands of objects would be copied twice and then wait
 * for a collection in a thread that has little else to collect.
 */
import type { Discovery } from '../model/cell.js'
import type { Append, Pack } from './ledger.js'

/** Links to one cell: a JSON array of [url, depth, hops, score, via]. */
export interface TextAppend extends Omit<Append, 'rows'> {
  readonly rows: number
  readonly json: string
}

export interface TextPack extends Omit<Pack, 'appends'> {
  readonly appends: readonly TextAppend[]
}

export function appendsAsText(appends: readonly Append[]): TextAppend[] {
  return appends.map(({ cell, group, rows }) => ({ cell, group, rows: rows.length, json: jsonOf(rows) }))
}

export function packAsText(pack: Pack): TextPack {
  return { ...pack, appends: appendsAsText(pack.appends) }
}

function jsonOf(rows: readonly Discovery[]): string {
  return JSON.stringify(rows.map(({ url, depth, hops, score, via }) => [url, depth, hops, score, via]))
}
