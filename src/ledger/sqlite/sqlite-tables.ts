/** A ledger on SQLite as the source or target of a copy. */
import {
  type CopiedRow,
  type CopiedTable,
  type CopiedValue,
  type LedgerSource,
  type LedgerTarget,
  readSql,
} from '../sql/index.js'
import { batchesOf, rowsOf } from './row-text.js'
import { SqliteDatabase } from './sqlite-database.js'
import { putBatch } from './sqlite-inboxes.js'

interface Closable {
  close(): void
}

export function sqliteSource(path: string): LedgerSource & Closable {
  const db = SqliteDatabase.open(path, { create: false })
  return {
    columns: async table => columnsOf(db, table),
    read: async (table, columns, after) =>
      table.name === INBOX
        ? readInboxes(db, columns, after)
        : db.all(readSql(table, columns, after === null), ...(after ?? [])),
    close: () => db.close(),
  }
}

/** Makes a new file, which the caller renames. `settings` are added to the copied ones. */
export function sqliteTarget(
  path: string,
  settings: Readonly<Record<string, string>>,
): LedgerTarget & Closable {
  const db = SqliteDatabase.open(path, { create: true })
  db.run('DELETE FROM crawl')
  return {
    columns: async table => columnsOf(db, table),
    write: async (table, columns, rows) =>
      db.transaction(() =>
        table.name === INBOX ? writeInboxes(db, columns, rows) : insert(db, table, columns, rows),
      ),
    seal: async () => {
      db.transaction(() => seal(db, settings))
      // Without a log, because the caller renames only the one file.
      db.all('PRAGMA journal_mode = DELETE')
    },
    close: () => db.close(),
  }
}

/** PostgreSQL has a table of rows by this name; SQLite stores batches. */
const INBOX = 'inbox'
const INBOX_COLUMNS = ['position', 'cell', 'url', 'depth', 'hops', 'score', 'via', 'sender'] as const
const BATCHES_AT_ONCE = 20

type InboxColumns = Record<(typeof INBOX_COLUMNS)[number], CopiedValue>

function columnsOf(db: SqliteDatabase, { name }: CopiedTable): readonly string[] {
  return name === INBOX ? INBOX_COLUMNS : db.all(`PRAGMA table_info(${name})`).map(row => String(row[1]))
}

function readInboxes(db: SqliteDatabase, columns: readonly string[], after: CopiedRow | null): CopiedRow[] {
  const batches = db.all(
    `SELECT b.cell, b.position, b.rows, b.json, b.sender, c.inbox_cursor FROM inbox_batch b JOIN cell c ON c.cell = b.cell
     WHERE b.position > c.inbox_cursor AND (b.cell, b.position) > (?, ?) ORDER BY b.cell, b.position LIMIT ?`,
    ...(after ?? ['', 0]),
    BATCHES_AT_ONCE,
  )
  return batches.flatMap(([cell, position, rows, json, sender, cursor]) => {
    const batch = {
      position: Number(position),
      rows: Number(rows),
      json: String(json),
      cursor: Number(cursor),
    }
    return rowsOf([{ ...batch, sender: '' }]).map(row => {
      const fields: InboxColumns = { ...row, cell, sender }
      return columns.map(name => fields[name as keyof InboxColumns])
    })
  })
}

/** Rows get new positions in the same order: PostgreSQL numbers them within each cell. */
function writeInboxes(db: SqliteDatabase, columns: readonly string[], rows: readonly CopiedRow[]): void {
  const field = (row: CopiedRow, name: keyof InboxColumns) => row[columns.indexOf(name)]
  const isAlike = (row: CopiedRow, other: CopiedRow) =>
    field(row, 'cell') === field(other, 'cell') && field(row, 'sender') === field(other, 'sender')
  for (let from = 0; from < rows.length; ) {
    let to = from + 1
    while (to < rows.length && isAlike(rows[from], rows[to])) to++
    const links = rows.slice(from, to).map(row => ({
      url: String(field(row, 'url')),
      depth: Number(field(row, 'depth')),
      hops: Number(field(row, 'hops')),
      score: Number(field(row, 'score')),
      via: String(field(row, 'via')),
    }))
    for (const batch of batchesOf(links))
      putBatch(db, String(field(rows[from], 'cell')), batch, Number(field(rows[from], 'sender')))
    from = to
  }
}

function insert(
  db: SqliteDatabase,
  table: CopiedTable,
  columns: readonly string[],
  rows: readonly CopiedRow[],
) {
  const sql = `INSERT INTO ${table.name} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`
  for (const row of rows) db.run(sql, ...row)
}

function seal(db: SqliteDatabase, settings: Readonly<Record<string, string>>): void {
  db.run(`DELETE FROM setting WHERE name LIKE 'crawl.%'`)
  for (const [name, value] of Object.entries(settings))
    db.run('INSERT OR REPLACE INTO setting VALUES (?, ?)', name, value)
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
