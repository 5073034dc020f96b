/**
 * Tunable numbers of `verify/`, with their reasons. Bounds against the web are in `model/limits.ts`.
 */

// journal-outcomes.ts
export const JOURNAL_OUTCOMES_BATCH_BYTES = 1024 * 1024 // bounds the memory of a large cell

// ledger.ts
export const LEDGER_BATCH_BYTES = 8 * 1024 * 1024 // bounds the memory; few calls

// repair-tables.ts
export const REPAIR_TABLES_INSERT_ROWS = 500 // a statement of moderate length

// repair.ts
export const REPAIR_LEASE_MS = 60_000 // longer than a batch takes
