/**
 * Tunable numbers of `bus/`, with their reasons. Bounds against the web are in `model/limits.ts`.
 */

// postgres-bus.ts
export const POSTGRES_BUS_GATHER_MS = 150 // many notices share one statement; short beside a heartbeat
export const RECONNECT_MS = 2_000 // a restart of the database takes seconds
/** PostgreSQL's limit is 8,000 bytes. */
export const POSTGRES_BUS_PAYLOAD_BYTES = 7_500
