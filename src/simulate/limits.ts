/**
 * Tunable numbers of `simulate/`, with their reasons. Bounds against the web are in `model/limits.ts`.
 */

// check/describe-fact.ts
export const ID_CHARS = 8 // enough to tell packs of a run apart

// check/traffic-checker.ts
/** Times are sums of fractions of a millisecond. */
export const TRAFFIC_CHECKER_ROUNDING_MS = 0.001

// faults/faults.ts
/** Shorter than in a real crawl, so that a minute has as many expirations as a real hour. */
export const LEASE_MS = 10_000

// faults/mutant-ledger.ts
/** The time between the two halves of what should be one step. */
export const BETWEEN_MS = 3_000

// fleet/fleet.ts
export const SEEN_BYTES = 256 * 1024 // small, so that runs spill
export const QUEUE_BYTES = 256 * 1024 // small, so that runs spill
export const RESTART_MS = 5_000 // half a lease, so that some restarts find leases in force
/** Time in which a supervisor notices that a process has ended. */
export const SEEN_MS = 200

// fleet/run-incarnation.ts
export const RUN_INCARNATION_BEAT_MS = 1_000 // as in a real crawl
export const PACK_BYTES = 4_096 // a simulated pack is small
export const FEW_LINK_BYTES = 1_024 // so few that agents meet the bound

// fleet/simulated-assignment.ts
/** Shorter than in a real crawl, like the leases, and shorter than the slowest answers. */
export const MOVE_GRACE_MS = 5_000

// machines/machine.ts
/** The wall-clock time at which a simulation starts. */
export const EPOCH_MS = 1_800_000_000_000

// ports/flaky-ledger.ts
/** Time after which a caller gives up waiting. */
export const TIMEOUT_MS = 2_000

// ports/virtual-fetcher.ts
/**
 * Longer than the grace for a cell that is asked back, shorter than the longest request that a group waits
 * for.
 */
export const SLOW_MS = 9_000

// ports/virtual-store.ts
export const VIRTUAL_STORE_FLUSH_MS = 4 // as long as a disk takes
/** How late the store of the mutant `ledger-first` writes. */
export const LATE_MS = 2_000

// ports/virtual-web.ts
export const CROSS_LINKS = 2 // enough to reach all sites
/** A site with a Crawl-delay has at most this many pages, so that it does not delay the end. */
export const SLOW_PAGES = 10

// simulate.ts
/** No crawl takes longer than this plus the delays of all its pages in sequence. */
export const LONGEST_MS = 1_800_000
/** Time in which agents must notice the end. */
export const AFTER_END_MS = 300_000

// web/link-graph.ts
/** 40 links a page at 4 bytes each: 160 MB. */
export const LINK_GRAPH_MOST_PAGES = 1_000_000

// web/out-links.ts
/** Room for both fan-outs, home, parent, object, forbidden and gone. */
export const LEAST_LINKS = 20

// web/page-text.ts
export const PAGE_TEXT_LEAST_BYTES = 13_300
export const SPREAD_BYTES = 6_400
/** The first links are in the navigation, then come those in head and text; the rest is in a list. */
export const NAV_LINKS = 7
export const TEXT_LINKS = 18
/** Approximate sizes of a link in the list and of the end of a page, for which the text leaves room. */
export const LIST_LINK_BYTES = 75
export const END_BYTES = 1_000

// web/request-log.ts
export const REQUEST_LOG_FLUSH_BYTES = 64 * 1024 // few writes under load
export const REQUEST_LOG_FLUSH_MS = 200 // tests read the log while it is written

// web/response.ts
export const CHUNK_BYTES = 4_096 // several chunks per page

// web/web-connection.ts
/** With more pipelined input than this, the socket is paused. */
export const INPUT_BYTES = 64 * 1024

// web/web-server.ts
export const IDLE_MS = 75_000
export const SWEEP_MS = 15_000 // a fraction of the idle time

// world.ts
/** Shorter than servers take to answer, so that requests are always aborted at the end of a phase. */
export const DRAIN_MS = 20
