/**
 * Tunable numbers of `ledger/`, with their reasons. Bounds against the web are in `model/limits.ts`.
 */

// postgres/postgres-connection.ts
export const POSTGRES_CONNECTION_CONNECT_MS = 10_000 // a server that is there answers much sooner
/** Longer than any statement of ours: finds a host that vanished without closing the connection. */
export const POSTGRES_CONNECTION_ANSWER_MS = 60_000
/**
 * A process that hangs inside a transaction holds locks that other agents wait for, even their heartbeats:
 * the server ends the transaction long before a lease expires, and the call is repeated.
 */
export const IDLE_IN_TRANSACTION_MS = 2_000

// postgres/postgres-inboxes.ts
export const POSTGRES_INBOXES_RETRY_MS = 20 // most transactions are over by then
/** An open transaction hides rows. After so many reads the answer is that there are none. */
export const POSTGRES_INBOXES_MOST_READS = 10

// retrying-ledger.ts
export const RETRYING_LEDGER_RETRY_MS = 500 // a lease survives many tries

// silence.ts
/** Agents send a heartbeat every second: one without any for so long has ended or hangs. */
export const SILENT_AFTER_MS = 5_000

// sqlite/pages/database-pages.ts
export const DATABASE_PAGES_PIECE_BYTES = 1024 * 1024 // longer pieces are not faster

// sqlite/pages/sqlite-checkpoint.ts
/** If another process writes for longer than this, the work is left to the next checkpoint. */
export const LOCK_WAIT_MS = 200

// sqlite/pages/wal-file.ts
export const WAL_FILE_PIECE_BYTES = 1024 * 1024 // longer pieces are not faster

// sqlite/sqlite-database.ts
export const BUSY_WAIT_MS = 30_000 // longer than any transaction of ours
/** A log of 8 MB: a longer one takes disk and time to recover, a shorter one needs more checkpoints. */
export const CHECKPOINT_FRAMES = 2_000
