/** What committed packs have stored: journals of cells, and the list of files. */
import type { CellId, Epoch } from '../../model/index.js'
import { isInsideName } from '../../model/url/index.js'
import { type FileRow, LedgerError, type PackFile } from '../index.js'
import { fileSwap } from '../rules/index.js'
import { cellAndAncestors } from './cell-calls.js'
import type { Engine } from './engine.js'
import type { Row, Steps } from './sql-steps.js'

/** Sizes are read before the journals, which can be large. */
const SIZES_AT_ONCE = 1000

export function* readJournal(
  cell: CellId,
  from: number,
  maxBytes: number,
): Steps<{ number: number; journal: Uint8Array }[]> {
  // The packs of a cell are numbered after those of its parents, so one order serves for all.
  const line = yield* cellAndAncestors(cell)
  const rows = 'FROM pack_cell WHERE cell = ANY($1::text[]) AND number >= $2 ORDER BY number LIMIT'
  const sizes = yield [`SELECT length(journal) ${rows} ${SIZES_AT_ONCE}`, line, from]
  const journals = yield [`SELECT number, journal ${rows} $3`, line, from, fitting(sizes, maxBytes)]
  return journals.map(([number, journal]) => ({ number: Number(number), journal: journal as Buffer }))
}

export function* readJournals(
  after: { readonly cell: CellId; readonly number: number },
  maxBytes: number,
): Steps<{ cell: CellId; number: number; journal: Uint8Array }[]> {
  const rows = 'FROM pack_cell WHERE (cell, number) > ($1, $2) ORDER BY cell, number LIMIT'
  const sizes = yield [`SELECT length(journal) ${rows} ${SIZES_AT_ONCE}`, after.cell, after.number]
  const count = fitting(sizes, maxBytes)
  const journals = yield [`SELECT cell, number, journal ${rows} $3`, after.cell, after.number, count]
  return journals.map(([cell, number, journal]) => ({
    cell: String(cell),
    number: Number(number),
    journal: journal as Buffer,
  }))
}

/** How many journals of these sizes are at most `maxBytes` long together; at least one. */
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

export function* files(): Steps<FileRow[]> {
  const rows = yield [
    `SELECT f.name, f.kind, f.bytes, f.crc32, f.incarnation, coalesce(a.open, 0)
     FROM file f LEFT JOIN agent a ON a.incarnation = f.incarnation ORDER BY f.name`,
  ]
  return rows.map(fileRow)
}

function fileRow([name, kind, bytes, crc32, incarnation, open]: Row): FileRow {
  const file = {
    name: listedName(name),
    kind: String(kind),
    bytes: Number(bytes),
    crc32: crc32 === null ? null : Number(crc32),
    incarnation: Number(incarnation),
    closed: open === 0,
  }
  if (isCount(file.bytes) && (file.crc32 === null || isCount(file.crc32))) return file
  throw new LedgerError(
    'corrupt',
    `the ledger is damaged: it lists ${file.name} with a length or digest that no file can have`,
  )
}

/** A ledger may come from somebody else, and recovery truncates and removes files by these names. */
function listedName(name: Row[number]): string {
  const text = String(name)
  if (isInsideName(text)) return text
  throw new LedgerError(
    'corrupt',
    `the ledger lists a file outside of the crawl directory: ${JSON.stringify(text)}; do not use it`,
  )
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0
}

/**
 * Takes a shared lock on the crawl row, so that the seat cannot change hands meanwhile, and locks the rows of
 * the files.
 */
export function* swapFiles(
  _engine: Engine,
  inputs: readonly string[],
  outputs: readonly PackFile[],
  seat?: Epoch,
): Steps<boolean> {
  const [[epoch, holder]] = yield ['SELECT seat_epoch, seat_agent FROM crawl FOR SHARE']
  if (seat !== undefined && epoch !== seat) return false
  const names = [...inputs, ...outputs.map(({ name }) => name)]
  const rows = yield ['SELECT name FROM file WHERE name = ANY($1::text[]) ORDER BY name FOR UPDATE', names]
  const listed = new Set(rows.map(([name]) => String(name)))
  const swap = fileSwap(inputs, outputs, name => listed.has(name))
  if (swap !== 'due') return swap === 'done'
  const [[last]] = yield ['SELECT coalesce(max(incarnation), 0) FROM agent']
  yield ['DELETE FROM file WHERE name = ANY($1::text[])', inputs]
  yield* saveFiles(outputs, Number(seat === undefined ? last : holder))
  return true
}

export function* saveFiles(files: readonly PackFile[], incarnation: number): Steps<void> {
  if (files.length === 0) return
  const latest = [...new Map(files.map(file => [file.name, file])).values()]
  const places = latest.map((_, i) => `($1, ${[2, 3, 4, 5].map(n => `$${4 * i + n}`).join(', ')})`)
  yield [
    `INSERT INTO file (incarnation, name, kind, bytes, crc32) VALUES ${places.join(', ')}
     ON CONFLICT (name) DO UPDATE SET bytes = excluded.bytes, kind = excluded.kind, crc32 = excluded.crc32`,
    incarnation,
    ...latest.flatMap(({ name, kind, bytes, crc32 = null }) => [name, kind, bytes, crc32]),
  ]
}
