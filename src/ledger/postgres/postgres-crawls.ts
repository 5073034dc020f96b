/**
 * Crawls in a database: each has its own schema, named by the crawl, made and migrated by the numbered steps.
 * Making it begins the first era. A database with another system identifier than the era's is a copy or a
 * restored backup, whose transaction numbers do not continue those in inbox positions. Such a database is
 * refused, except by `resume`, which is alone with the crawl and begins a new era.
 */
import { createHash } from 'node:crypto'
import { LedgerError } from '../index.js'
import { SCHEMA_VERSION, stepsAfter } from '../sql/index.js'
import { type PostgresConnection, quoted } from './postgres-connection.js'
import type { PostgresDatabase } from './postgres-database.js'

/** PostgreSQL's limit for a name. */
const NAME_BYTES = 63
const PREFIX = 'orbweaver '
/** Held while a crawl is made or migrated, so that two processes do it one after the other. */
const MIGRATION_LOCK = 0x6f_72_62
/** Beyond so many transactions, positions would exceed 2^53. A resume begins a new era before that. */
const MOST_IN_ERA = 2 ** 35
const CURRENT_X = 'pg_current_xact_id()::text::bigint'
const SYSTEM_ID = '(SELECT system_identifier::text FROM pg_control_system())'

/** The server's timeline: it changes when a standby is promoted. */
export const TIMELINE = `('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::bigint`

/** Rows that one transaction can add to one cell: with 2^36 transactions, positions stay below 2^53. */
export const ROWS_PER_WRITER = 2 ** 17

/** A name that PostgreSQL would truncate gets a digest, so that it stays unique. */
export function schemaOf(crawl: string): string {
  const name = PREFIX + crawl
  if (Buffer.byteLength(name) <= NAME_BYTES) return name
  const digest = createHash('sha256').update(crawl).digest('hex').slice(0, 16)
  return `${Buffer.from(name)
    .subarray(0, 40)
    .toString('utf8')
    .replace(/\ufffd+$/, '')} ${digest}`
}

/**
 * What to do with a database that is a copy of the crawl's own. `read`: open it for data that does not depend
 * on transaction numbers (settings, files). `adopt`: begin a new era; the caller must be alone with the
 * crawl.
 */
export type CopyPolicy = 'refuse' | 'read' | 'adopt'

/** Throws a LedgerError if the database cannot be reached or holds a crawl of this name. Writes nothing. */
export async function refuseTaken(db: PostgresDatabase, crawl: string, place: string): Promise<void> {
  const version = await db.use(connection => versionOf(connection, schemaOf(crawl)))
  if (version !== null) throw takenError(crawl, place)
}

function takenError(crawl: string, place: string): LedgerError {
  return new LedgerError(
    'taken',
    `there is a crawl named "${crawl}" in ${place} already: resume it, or choose another --name`,
  )
}

/** Makes the tables of a new crawl, or migrates those of an existing one; anything else is refused. */
export async function prepareCrawl(
  db: PostgresDatabase,
  crawl: string,
  place: string,
  { create, copies }: { readonly create: boolean; readonly copies: CopyPolicy },
): Promise<void> {
  await db.use(async connection => {
    await connection.exec(`SELECT pg_advisory_lock(${MIGRATION_LOCK})`)
    try {
      const version = await versionOf(connection, schemaOf(crawl))
      if (create && version !== null) throw takenError(crawl, place)
      if (!create && version === null)
        throw new LedgerError('missing', `there is no crawl named "${crawl}" in ${place}`)
      await migrate(connection, schemaOf(crawl), version ?? 0, place)
      if (!create && copies !== 'read') await checkEra(connection, place, copies === 'adopt')
    } catch (error) {
      // The first error is reported, not one of the ROLLBACK.
      if (!connection.isLost) await connection.exec('ROLLBACK')
      throw error
    } finally {
      if (!connection.isLost) await connection.exec(`SELECT pg_advisory_unlock(${MIGRATION_LOCK})`)
    }
  })
}

async function versionOf(connection: PostgresConnection, schema: string): Promise<number | null> {
  const [[table]] = await connection.all('SELECT to_regclass($1)::text', [`${quoted(schema)}.schema_version`])
  if (table === null) return null
  const [[version]] = await connection.exec(`SELECT version FROM ${quoted(schema)}.schema_version`)
  return Number(version)
}

/** All steps in one transaction: a crawl exists as a whole or not at all. */
async function migrate(
  connection: PostgresConnection,
  schema: string,
  version: number,
  place: string,
): Promise<void> {
  if (version > SCHEMA_VERSION)
    throw new LedgerError(
      'newer',
      `the crawl in ${place} was written by a newer version of orbweaver; update orbweaver to continue it`,
    )
  if (version === SCHEMA_VERSION) return
  const steps = stepsAfter(version).map(({ postgres }) => postgres)
  const begin =
    version === 0
      ? `CREATE SCHEMA ${quoted(schema)}; CREATE TABLE schema_version (version BIGINT NOT NULL);
         INSERT INTO schema_version VALUES (0);`
      : ''
  const era =
    version === 0
      ? `UPDATE crawl SET first_x = ${CURRENT_X}, system_id = ${SYSTEM_ID}, timeline = ${TIMELINE};`
      : ''
  await connection.exec(
    `BEGIN; ${begin} ${steps.join('\n')} ${era} UPDATE schema_version SET version = ${SCHEMA_VERSION}; COMMIT`,
  )
}

async function checkEra(connection: PostgresConnection, place: string, adopt: boolean): Promise<void> {
  const [[isSame, count]] = await connection.exec(
    `SELECT system_id = ${SYSTEM_ID}, ${CURRENT_X} - first_x FROM crawl`,
  )
  if (adopt && (isSame !== true || Number(count) > MOST_IN_ERA)) return newEra(connection)
  if (isSame !== true)
    throw new LedgerError(
      'corrupt',
      `${place} is a copy of the database of this crawl; continue with the original, or resume the crawl here`,
    )
}

/**
 * Unread rows keep their order and come before all later rows: those of a cell are renumbered from 1, and
 * `first_x` is set so far back that every new transaction gets higher positions.
 */
export async function newEra(connection: PostgresConnection): Promise<void> {
  await connection.exec(
    `BEGIN; SELECT 1 FROM crawl FOR UPDATE;
     UPDATE inbox SET position = -old.place FROM (SELECT cell, position,
       row_number() OVER (PARTITION BY cell ORDER BY position) AS place FROM inbox) AS old
     WHERE inbox.cell = old.cell AND inbox.position = old.position;
     UPDATE inbox SET position = -position;
     UPDATE cell SET inbox_cursor = 0 WHERE inbox_cursor <> 0;
     UPDATE crawl SET era = era + 1, system_id = ${SYSTEM_ID}, timeline = ${TIMELINE}, first_x = ${CURRENT_X} - 1
       - (SELECT coalesce(max(position), 0) / ${ROWS_PER_WRITER} FROM inbox);
     COMMIT`,
  )
}
