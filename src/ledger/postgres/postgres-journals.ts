/** Journals of cells: what committed packs added to each, in order. */
import type { CellId } from '../../model/index.js'
import type { Row } from './postgres-connection.js'
import type { PostgresDatabase } from './postgres-database.js'
import { lineOf } from './postgres-splits.js'

/** How far a part may go is asked for first: the journals themselves can be large. */
const SIZES_AT_ONCE = 1000

export async function readJournal(
  db: PostgresDatabase,
  cell: CellId,
  from: number,
  maxBytes: number,
): Promise<{ number: number; journal: Uint8Array }[]> {
  // The packs of a cell are numbered behind those of its parents, so one order serves for all.
  const line = await lineOf(db, cell)
  const sizes = await db.all(
    `SELECT octet_length(journal) FROM pack_cell WHERE cell = ANY($1::text[]) AND number >= $2
     ORDER BY number LIMIT ${SIZES_AT_ONCE}`,
    line,
    from,
  )
  const rows = await db.all(
    'SELECT number, journal FROM pack_cell WHERE cell = ANY($1::text[]) AND number >= $2 ORDER BY number LIMIT $3',
    line,
    from,
    fitting(sizes, maxBytes),
  )
  return rows.map(([number, journal]) => ({ number: Number(number), journal: journal as Buffer }))
}

export async function readJournals(
  db: PostgresDatabase,
  after: { readonly cell: CellId; readonly number: number },
  maxBytes: number,
): Promise<{ cell: CellId; number: number; journal: Uint8Array }[]> {
  const sizes = await db.all(
    `SELECT octet_length(journal) FROM pack_cell WHERE (cell, number) > ($1, $2)
     ORDER BY cell, number LIMIT ${SIZES_AT_ONCE}`,
    after.cell,
    after.number,
  )
  const rows = await db.all(
    `SELECT cell, number, journal FROM pack_cell WHERE (cell, number) > ($1, $2)
     ORDER BY cell, number LIMIT $3`,
    after.cell,
    after.number,
    fitting(sizes, maxBytes),
  )
  return rows.map(([cell, number, journal]) => ({
    cell: String(cell),
    number: Number(number),
    journal: journal as Buffer,
  }))
}

/** At least one, however large. */
function fitting(sizes: readonly Row[], maxBytes: number): number {
  let bytes = 0
  let count = 0
  for (const [length] of sizes) {
    if (bytes > 0 && bytes + Number(length) > maxBytes) break
    bytes += Number(length)
    count++
  }
  return count
}
