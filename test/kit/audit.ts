/**
 * What a ledger does while a real crawl runs, written down by triggers in the database itself: whoever
 * changes a row holds its lock, so the order of these notes is one that the changes can have happened in. Our
 * own code has no part in it.
 */
import Database from 'libsql'
import { Client } from 'pg'
import { schemaOf } from '../../src/ledger/postgres/index.js'

export interface Note {
  /** Epoch milliseconds. */
  readonly at: number
  readonly kind: 'join' | 'grant' | 'given up' | 'commit' | 'leave' | 'end'
  /** The agent, the cell or the pack. */
  readonly what: string
  /** The incarnation. */
  readonly who: number
  readonly epoch: number
}

interface RecordedPackCell {
  readonly pack: string
  readonly cell: string
  readonly epoch: number
  readonly journal: Uint8Array
}

export interface Audit {
  readonly notes: readonly Note[]
  readonly shares: readonly RecordedPackCell[]
}

const HELD = `('leased', 'draining')`
const TABLE =
  'audit (at DOUBLE PRECISION NOT NULL, kind TEXT NOT NULL, what TEXT NOT NULL, who BIGINT, epoch BIGINT'
/** What was there before the triggers. */
const SO_FAR = [
  `SELECT 'join', name, incarnation, 0 FROM agent`,
  `SELECT 'grant', cell, agent, epoch FROM cell WHERE state IN ${HELD}`,
] as const
const NOTES = 'SELECT at, kind, what, who, epoch FROM audit ORDER BY seq'
const SHARES = 'SELECT pack, cell, epoch, journal FROM pack_cell'

/** Table, what happens to its rows, when that counts, and what is noted. */
const WATCHED = [
  ['agent', 'INSERT', 'true', `'join', NEW.name, NEW.incarnation, 0`],
  ['agent', 'UPDATE', 'OLD.open = 1 AND NEW.open = 0', `'leave', NEW.name, NEW.incarnation, 0`],
  ['cell', 'UPDATE', 'NEW.epoch <> OLD.epoch', `'grant', NEW.cell, NEW.agent, NEW.epoch`],
  [
    'cell',
    'UPDATE',
    `OLD.state IN ${HELD} AND NEW.state NOT IN ${HELD}`,
    `'given up', NEW.cell, OLD.agent, OLD.epoch`,
  ],
  ['pack', 'INSERT', 'true', `'commit', NEW.id, NEW.incarnation, 0`],
  ['crawl', 'UPDATE', `OLD.state <> 'closed' AND NEW.state = 'closed'`, `'end', NEW.state, 0, 0`],
] as const

/** As soon as the crawl has tables, and before it has committed anything. */
export async function auditPostgres(url: string, crawl: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  const there = `SELECT to_regclass('"${schemaOf(crawl)}".schema_version') IS NOT NULL AS is`
  while (!(await client.query(there)).rows[0].is) await new Promise(soon => setTimeout(soon, 10))
  const now = 'extract(epoch FROM clock_timestamp()) * 1000'
  const triggers = WATCHED.map(
    ([table, event, when, values], i) => `
      CREATE FUNCTION note_${i}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        INSERT INTO audit (at, kind, what, who, epoch) VALUES (${now}, ${values}); RETURN NULL; END $$;
      CREATE TRIGGER note_${i} AFTER ${event} ON ${table} FOR EACH ROW WHEN (${when}) EXECUTE FUNCTION note_${i}();`,
  )
  await client.query(
    `SET search_path = "${schemaOf(crawl)}"; BEGIN;
     LOCK TABLE crawl, agent, cell, pack IN SHARE ROW EXCLUSIVE MODE;
     CREATE TABLE ${TABLE}, seq BIGSERIAL PRIMARY KEY);
     ${triggers.join('')} ${soFar(now)} COMMIT`,
  )
  const { rows } = await client.query<{ packs: number }>('SELECT count(*)::int AS packs FROM pack')
  await client.end()
  if (rows[0].packs > 0) throw new Error('packs were committed before they could be noted')
}

export async function postgresAudit(url: string, crawl: string): Promise<Audit> {
  const client = new Client({ connectionString: url })
  await client.connect()
  await client.query(`SET search_path = "${schemaOf(crawl)}"`)
  const notes = await client.query<Note>(NOTES)
  const shares = await client.query<RecordedPackCell>(SHARES)
  await client.end()
  return {
    notes: notes.rows.map(note => ({ ...note, who: Number(note.who), epoch: Number(note.epoch) })),
    shares: shares.rows.map(share => ({ ...share, epoch: Number(share.epoch) })),
  }
}

/** The file must be there. */
export function auditSqlite(path: string): void {
  const ledger = new Database(path, { timeout: 10_000 })
  const now = `(julianday('now') - 2440587.5) * 86400000`
  const triggers = WATCHED.map(
    ([table, event, when, values], i) => `
      CREATE TRIGGER note_${i} AFTER ${event} ON ${table} WHEN ${when} BEGIN
        INSERT INTO audit (at, kind, what, who, epoch) VALUES (${now}, ${values}); END;`,
  )
  ledger.exec('BEGIN IMMEDIATE')
  ledger.exec(`CREATE TABLE ${TABLE}, seq INTEGER PRIMARY KEY); ${triggers.join('')} ${soFar(now)}`)
  const [packs] = ledger.prepare('SELECT count(*) FROM pack').raw().get() as [number]
  ledger.exec('COMMIT')
  ledger.close()
  if (packs > 0) throw new Error('packs were committed before they could be noted')
}

export function sqliteAudit(path: string): Audit {
  const ledger = new Database(path, { timeout: 10_000 })
  // As objects, blobs do not come through.
  const notes = ledger.prepare(NOTES).raw().all() as [number, Note['kind'], string, number, number][]
  const shares = ledger.prepare(SHARES).raw().all() as [string, string, number, Uint8Array][]
  ledger.close()
  return {
    notes: notes.map(([at, kind, what, who, epoch]) => ({ at, kind, what, who, epoch })),
    shares: shares.map(([pack, cell, epoch, journal]) => ({ pack, cell, epoch, journal })),
  }
}

function soFar(now: string): string {
  return SO_FAR.map(
    select => `INSERT INTO audit (at, kind, what, who, epoch) SELECT ${now}, was.* FROM (${select}) AS was;`,
  ).join('\n')
}
