/** A ledger on SQLite as tables: read for a copy, or made by one. */
import {
  type CopiedRow,
  type CopiedTable,
  type LedgerSource,
  type LedgerTarget,
  readSql,
} from './ledger-tables.js'
import { SqliteDatabase } from './sqlite-database.js'

interface Closable {
  close(): void
}

export function sqliteSource(path: string): LedgerSource & Closable {
  const db = SqliteDatabase.open(path, false)
  return {
    columns: async table => columnsOf(db, table),
    read: async (table, columns, after) =>
      db.all(
        readSql(table, columns, after === null, () => '?'),
        ...(after ?? []),
      ),
    close: () => db.close(),
  }
}

/** In a file of its own: whoever asked for it gives it its name. */
export function sqliteTarget(path: string): LedgerTarget & Closable {
  const db = SqliteDatabase.open(path, true)
  db.run('DELETE FROM crawl')
  return {
    columns: async table => columnsOf(db, table),
    write: async (table, columns, rows) => db.transaction(() => insert(db, table, columns, rows)),
    seal: async () => {
      db.transaction(() => seal(db))
      // All of it in the one file, which is about to get another name.
      db.all('PRAGMA journal_mode = DELETE')
    },
    close: () => db.close(),
  }
}

function columnsOf(db: SqliteDatabase, { name }: CopiedTable): string[] {
  return db.all(`PRAGMA table_info(${name})`).map(row => String(row[1]))
}

/** Positions of inbox rows are given anew, in their order: elsewhere they are numbers within a cell. */
function insert(
  db: SqliteDatabase,
  table: CopiedTable,
  columns: readonly string[],
  rows: readonly CopiedRow[],
) {
  const skipped = table.name === 'inbox' ? columns.indexOf('position') : -1
  const kept = columns.filter((_, i) => i !== skipped)
  const sql = `INSERT INTO ${table.name} (${kept.join(', ')}) VALUES (${kept.map(() => '?').join(', ')})`
  for (const row of rows) db.run(sql, ...row.filter((_, i) => i !== skipped))
}

function seal(db: SqliteDatabase): void {
  db.run(`DELETE FROM setting WHERE name LIKE 'crawl.%'`)
  db.run('UPDATE cell SET inbox_cursor = 0')
  db.run('UPDATE agent SET open = 0, budget = 0')
  db.run(
    `UPDATE crawl SET seat_agent = NULL, seat_until = 0, last_heartbeat = 0, gap_until = 0,
       next_rank = max(next_rank, (SELECT coalesce(max(rank), 0) FROM cell)),
       first_rank = min(first_rank, (SELECT coalesce(min(rank), 0) FROM cell)),
       grants = max(grants, (SELECT coalesce(max(grant_number), 0) FROM cell)),
       pages = (SELECT coalesce(sum(pages), 0) FROM agent)`,
  )
}
