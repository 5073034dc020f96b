/**
 * Tunable numbers of `compose/`, with their reasons. Bounds against the web are in `model/limits.ts`.
 */

// open-ledger.ts
export const OPEN_LEDGER_AGAIN_MS = 500

// run-agent-thread.ts
export const RUN_AGENT_THREAD_TELL_MS = 500

// start-thread.ts
export const FLAGS_MS = 5

// system-random.ts
// Random bytes are drawn in bulk: a call into OpenSSL per record id costs more than the id.
export const POOL_BYTES = 4096
