/** How durable the server's commits are, and which open transactions keep inbox rows from being read. */
import type { Millis } from '../../model/index.js'
import type { LedgerHealth, LongTransaction } from '../index.js'
import type { Row } from '../sql/index.js'
import type { PostgresDatabase } from './postgres-database.js'

const MOST_SHOWN = 5

export async function readHealth(db: PostgresDatabase, heldUpMs: Millis): Promise<LedgerHealth> {
  return {
    weaknesses: weaknessesIn((await db.first(SETTINGS))!),
    longTransactions: (await db.all(LONG_TRANSACTIONS, heldUpMs, MOST_SHOWN)).map(longTransaction),
  }
}

const SETTINGS = `SELECT current_setting('fsync'), current_setting('synchronous_commit'),
  current_setting('synchronous_standby_names')`

/** Only the server's settings are known: whether a standby really stores what it receives is not. */
function weaknessesIn([fsync, commit, standbys]: Row): string[] {
  const weaknesses: string[] = []
  if (fsync === 'off')
    weaknesses.push(
      'fsync is off in PostgreSQL: when its machine loses power, the ledger can be lost or damaged',
    )
  if (commit === 'off')
    weaknesses.push(
      'synchronous_commit is off in PostgreSQL: when it crashes, pages acknowledged last can be forgotten and fetched again',
    )
  if (standbys === '' || commit === 'off' || commit === 'local')
    weaknesses.push(
      'PostgreSQL waits for no synchronous standby: when its machine is lost, so are pages that were acknowledged',
    )
  return weaknesses
}

/**
 * A snapshot reaches back to the oldest transaction with a number, in any database of the server; read-only
 * transactions have none. Only members of pg_read_all_stats see the times of other users' sessions.
 */
const LONG_TRANSACTIONS = `SELECT * FROM (
    SELECT usename, application_name, host(client_addr), pid, datname, state,
      floor(extract(epoch FROM clock_timestamp() - xact_start) * 1000) AS ms
    FROM pg_stat_activity WHERE backend_xid IS NOT NULL AND pid <> pg_backend_pid()
    UNION ALL
    SELECT owner, 'prepared as ' || gid, NULL, NULL, database, NULL,
      floor(extract(epoch FROM clock_timestamp() - prepared) * 1000)
    FROM pg_prepared_xacts) AS open
  WHERE ms > $1::bigint ORDER BY ms DESC LIMIT $2`

function longTransaction([user, program, address, pid, database, state, ms]: Row): LongTransaction {
  const parts = [
    `user ${user}`,
    ...(program === '' || program === null ? [] : [String(program)]),
    ...(address === null ? [] : [`from ${address}`]),
    ...(pid === null ? [] : [`process ${pid}`]),
    `database ${database}`,
    ...(state === null ? [] : [String(state)]),
  ]
  return { who: parts.join(', '), openMs: Number(ms) }
}
