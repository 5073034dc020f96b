/**
 * Tunable numbers of `compose/`, with their reasons. Bounds against the web are in `model/limits.ts`.
 */

// open-ledger.ts
export const OPEN_LEDGER_AGAIN_MS = 500 // a restart of the database takes seconds

// run-agent-thread.ts
export const RUN_AGENT_THREAD_TELL_MS = 500 // twice per line of live progress at least

// start-thread.ts
export const FLAGS_MS = 5 // the new thread is still starting then

// system-random.ts
// Random bytes are drawn in bulk: a call into OpenSSL per record id costs more than the id.
export const POOL_BYTES = 4096

// start-sandbox.ts
// The virtual machine of a guest is limited to 64 MiB; its engine needs some pages (64 KiB each) more.
export const CHILD_WASM_PAGES = 1_280
export const CHILD_HEAP_MB = 64 // trees of pages, and JSON on its way
export const CHILD_STDERR_CHARS = 4_096 // the last words of a child that ran out of memory
// Units of /proc: the same on every Linux that Node runs on, but for the pages of some arm64 kernels.
export const CHILD_TICK_MS = 10
export const CHILD_PAGE_BYTES = 4_096
