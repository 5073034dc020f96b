/**
 * A ledger on PostgreSQL as the source or target of a copy. The target has a draft schema until it is
 * complete, so that half a crawl is never opened; a copy that was interrupted starts again.
 */
import type { PostgresPlace } from '../../model/url/index.js'
import { LedgerError } from '../index.js'
import {
  type CopiedRow,
  type CopiedTable,
  type CopiedValue,
  type LedgerSource,
  type LedgerTarget,
  readSql,
} from '../sql/index.js'
import { placeName, quoted } from './postgres-connection.js'
import { newEra, prepareCrawl, schemaOf } from './postgres-crawls.js'
import { PostgresDatabase } from './postgres-database.js'

interface Closable {
  close(): Promise<void>
}

export function postgresSource(place: PostgresPlace, crawl: string): LedgerSource & Closable {
  const db = new PostgresDatabase({ place, schema: schemaOf(crawl) })
  return {
    columns: table => columnsOf(db, schemaOf(crawl), table),
    read: async (table, columns, after) =>
      (await db.all(readSql(table, columns, after === null), ...(after ?? []))) as readonly CopiedRow[],
    close: () => db.close(),
  }
}

export interface PostgresTarget extends LedgerTarget, Closable {
  /** The crawl name under which the draft can be opened. */
  readonly draft: string
  /** Gives the draft its final name; `replaces` allows removing a crawl that has it. */
  publish(replaces: boolean): Promise<void>
}

/** Parameters of one statement; PostgreSQL's limit is 65,535. */
const MOST_VALUES = 20_000

export async function postgresTarget(place: PostgresPlace, crawl: string): Promise<PostgresTarget> {
  const draft = `${crawl} (being copied)`
  const schema = schemaOf(draft)
  const db = new PostgresDatabase({ place, schema })
  try {
    await db.use(connection => connection.exec(`DROP SCHEMA IF EXISTS ${quoted(schema)} CASCADE`))
    await prepareCrawl(db, draft, placeName(place), { create: true, copies: 'refuse' })
    await db.all('DELETE FROM crawl')
  } catch (error) {
    await db.close()
    throw error
  }
  return {
    draft,
    columns: table => columnsOf(db, schema, table),
    write: (table, columns, rows) => insert(db, table, columns, rows),
    seal: () => seal(db),
    publish: replaces => publish(db, schema, schemaOf(crawl), replaces),
    close: () => db.close(),
  }
}

async function columnsOf(db: PostgresDatabase, schema: string, { name }: CopiedTable): Promise<string[]> {
  const rows = await db.all(
    'SELECT column_name FROM information_schema.columns WHERE table_schema = $1 AND table_name = $2 ORDER BY ordinal_position',
    schema,
    name,
  )
  return rows.map(([column]) => String(column))
}

async function insert(
  db: PostgresDatabase,
  table: CopiedTable,
  columns: readonly string[],
  rows: readonly CopiedRow[],
): Promise<void> {
  const whole = await wholeColumns(db, table, columns)
  const most = Math.floor(MOST_VALUES / columns.length)
  for (let from = 0; from < rows.length; from += most) {
    const part = rows.slice(from, from + most)
    let n = 0
    const places = part.map(row => `(${row.map(() => `$${++n}`).join(', ')})`)
    // SQLite stores fractions in integer columns.
    const values = part.flatMap(row => row.map((value, i) => (whole[i] ? rounded(value) : value)))
    await db.all(`INSERT INTO ${table.name} (${columns.join(', ')}) VALUES ${places.join(', ')}`, ...values)
  }
}

async function wholeColumns(
  db: PostgresDatabase,
  { name }: CopiedTable,
  columns: readonly string[],
): Promise<boolean[]> {
  const rows = await db.all(
    `SELECT column_name FROM information_schema.columns
     WHERE table_schema = current_schema() AND table_name = $1 AND data_type = 'bigint'`,
    name,
  )
  const whole = new Set(rows.map(([column]) => String(column)))
  return columns.map(column => whole.has(column))
}

function rounded(value: CopiedValue): CopiedValue {
  return typeof value === 'number' ? Math.round(value) : value
}

async function seal(db: PostgresDatabase): Promise<void> {
  await db.use(async connection => {
    await connection.exec(
      `BEGIN;
       UPDATE agent SET open = 0, budget = 0;
       UPDATE crawl SET seat_agent = NULL, seat_until = 0, last_heartbeat = 0, gap_until = 0;
       SELECT setval('rank_tail', greatest(1, next_rank, (SELECT max(rank) FROM cell))) FROM crawl;
       SELECT setval('rank_head', least(-1, first_rank, (SELECT min(rank) FROM cell))) FROM crawl;
       SELECT setval('grant_number', greatest(1, grants, (SELECT max(grant_number) FROM cell))) FROM crawl;
       SELECT setval(pg_get_serial_sequence('agent', 'incarnation'), greatest(1, (SELECT max(incarnation) FROM agent)));
       SELECT setval(pg_get_serial_sequence('heard', 'number'), greatest(1, (SELECT max(number) FROM heard)));
       COMMIT`,
    )
    await newEra(connection)
  })
}

async function publish(
  db: PostgresDatabase,
  draft: string,
  schema: string,
  replaces: boolean,
): Promise<void> {
  const [there] = (await db.first('SELECT to_regnamespace($1)::text', quoted(schema)))!
  if (there !== null && !replaces)
    throw new LedgerError('taken', `there is a crawl of that name already; choose another --name`)
  await db.use(connection =>
    connection.exec(
      `BEGIN; DROP SCHEMA IF EXISTS ${quoted(schema)} CASCADE;
       ALTER SCHEMA ${quoted(draft)} RENAME TO ${quoted(schema)}; COMMIT`,
    ),
  )
}
