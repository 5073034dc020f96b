/**
 * Tunable numbers of `cli/`, with their reasons. Bounds against the web are in `model/limits.ts`.
 */

// checkpoint.ts
export const CHECKPOINT_LOOK_MS = 200
export const CHECKPOINT_WAIT_MS = 120_000

// exit/interruption.ts
export const INTERRUPTION_GRACE_MS = 1_000
export const WATCH_MS = 100

// output/progress.ts
export const PROGRESS_LIVE_MS = 250
export const PROGRESS_PLAIN_MS = 10_000
export const BAR_CHARS = 20

// output/simulate-progress.ts
export const SIMULATE_PROGRESS_LIVE_MS = 500
export const SIMULATE_PROGRESS_PLAIN_MS = 15_000

// output/summary.ts
export const SHOWN_SITES = 8

// simulate.ts
/** Crawls with more sites take too long to simulate repeatedly. */
export const LARGE_SITES = 1_000
