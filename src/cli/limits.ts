/**
 * Tunable numbers of `cli/`, with their reasons. Bounds against the web are in `model/limits.ts`.
 */

// checkpoint.ts
export const CHECKPOINT_LOOK_MS = 200 // a person waits for it
export const CHECKPOINT_WAIT_MS = 120_000 // four leases of an agent that hangs

// exit/interruption.ts
export const INTERRUPTION_GRACE_MS = 1_000 // a person who pressed Ctrl-C waits
export const WATCH_MS = 100 // a person who pressed Ctrl-C waits

// output/progress.ts
export const PROGRESS_LIVE_MS = 250 // fast enough to look live
export const PROGRESS_PLAIN_MS = 10_000 // each line stays in a log file
export const BAR_CHARS = 20 // leaves room for the figures in 80 columns

// output/simulate-progress.ts
export const SIMULATE_PROGRESS_LIVE_MS = 500 // fast enough to look live
export const SIMULATE_PROGRESS_PLAIN_MS = 15_000 // each line stays in a log file

// output/summary.ts
export const SHOWN_SITES = 8 // the summary fits one screen

// simulate.ts
/** Crawls with more sites take too long to simulate repeatedly. */
export const LARGE_SITES = 1_000

// guest.ts
export const TRIED_PAGES = 3 // they fit a screen or two
export const TRIED_PART_CHARS = 2_000

// web.ts
export const WEB_MOST_MS = 600_000 // the mean time to answer; a crawler gives up sooner
export const WEB_PIECE_CHARS = 64 * 1024 // few writes for a list of millions of lines
