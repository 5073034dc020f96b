/** Files of all incarnations with their committed lengths, and their exchange for what was made of them. */
import type { Epoch } from '../../model/index.js'
import { type FileRow, type Incarnation, listedFile, type PackFile } from '../index.js'
import { textArray } from './postgres-connection.js'
import type { PostgresDatabase, Transaction } from './postgres-database.js'

/** Undoes a swap whose inputs are no longer all listed. */
class SwapRefused extends Error {}

export async function readFiles(db: PostgresDatabase): Promise<FileRow[]> {
  const rows = await db.all(
    `SELECT f.name, f.kind, f.bytes, f.crc32, f.incarnation, coalesce(a.open, 0)
     FROM file f LEFT JOIN agent a ON a.incarnation = f.incarnation ORDER BY f.name`,
  )
  return rows.map(row => ({ ...listedFile(row), incarnation: Number(row[4]), closed: row[5] === 0 }))
}

export async function swapFiles(
  db: PostgresDatabase,
  inputs: readonly string[],
  outputs: readonly PackFile[],
  seat?: Epoch,
): Promise<boolean> {
  try {
    return await db.transaction(tx => swap(tx, inputs, outputs, seat))
  } catch (error) {
    if (error instanceof SwapRefused) return false
    throw error
  }
}

/** The seat cannot pass on meanwhile: its row is shared. */
async function swap(
  tx: Transaction,
  inputs: readonly string[],
  outputs: readonly PackFile[],
  seat: Epoch | undefined,
): Promise<boolean> {
  const [epoch, holder] = (await tx.first('SELECT seat_epoch, seat_agent FROM crawl FOR SHARE'))!
  if (seat !== undefined && epoch !== seat) return false
  if (inputs.length > 0 && (await isSwapped(tx, inputs, outputs))) return true
  const [last] = (await tx.first('SELECT coalesce(max(incarnation), 0) FROM agent'))!
  const incarnation = Number(seat === undefined ? last : holder)
  const names = [...new Set(inputs)]
  const gone = await tx.run('DELETE FROM file WHERE name = ANY($1::text[])', textArray(names))
  if (gone < inputs.length) throw new SwapRefused()
  await saveFiles(tx, outputs, incarnation)
  return true
}

/** The answer to this swap was lost, and it is sent again. */
async function isSwapped(
  tx: Transaction,
  inputs: readonly string[],
  outputs: readonly PackFile[],
): Promise<boolean> {
  if (outputs.length === 0) return false
  const names = outputs.map(({ name }) => name)
  const rows = await tx.all(
    'SELECT name FROM file WHERE name = ANY($1::text[])',
    textArray([...inputs, ...names]),
  )
  const listed = new Set(rows.map(([name]) => String(name)))
  return !inputs.some(name => listed.has(name)) && names.every(name => listed.has(name))
}

export async function saveFiles(
  tx: Transaction,
  files: readonly PackFile[],
  incarnation: Incarnation,
): Promise<void> {
  if (files.length === 0) return
  const latest = [...new Map(files.map(file => [file.name, file])).values()]
  await tx.run(
    `INSERT INTO file (name, incarnation, kind, bytes, crc32)
     SELECT name, $5, kind, bytes, crc32
       FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[]) AS f (name, kind, bytes, crc32) ORDER BY name
     ON CONFLICT (name) DO UPDATE SET bytes = excluded.bytes, kind = excluded.kind, crc32 = excluded.crc32`,
    textArray(latest.map(({ name }) => name)),
    textArray(latest.map(({ kind }) => kind)),
    latest.map(({ bytes }) => bytes),
    latest.map(({ crc32 }) => crc32 ?? null),
    incarnation,
  )
}
