/**
 * Tunable numbers of `cluster/`, with their reasons. Bounds against the web are in `model/limits.ts`.
 */

// agent/cells/held-cells.ts
/** After this, a turn that another agent holds is requested again. */
export const TURN_LOOK_MS = 5_000

// agent/cells/inbox.ts
/** A batch is in memory three times while it is read. */
export const INBOX_BATCH_ROWS = 500

// agent/cells/route-claimer.ts, coordinator/moves.ts
/** Names of cells of split sites are long, and a message on the bus must be short. */
export const MESSAGE_CELLS = 20
/** Cells of the queue that one read returns: few reads for a small share, little memory for a large one. */
export const LEAST_READ_CELLS = 100
export const MOST_READ_CELLS = 2_000

// agent/cells/shard-claimer.ts
/** Any agent may claim a shard that was free for this long. */
export const SHARD_CLAIMER_ORPHAN_MS = 3_000
/** How often the agents are counted. */
export const MEMBER_COUNT_MS = 2_000
/** A surplus shard is released after this: the first agent to start has all shards for a moment. */
export const SHARD_CLAIMER_EXCESS_MS = 5_000
/** Pause before the next release of that kind, divided by the shards held: other agents may not want more. */
export const RELEASE_PAUSE_MS = 60_000

// agent/cells/site-opener.ts
export const JOURNAL_BATCH_BYTES = 4 * 1024 * 1024 // bounds the memory of a rebuild
/** A journal up to this length is kept between the two passes of the rebuild. */
export const KEPT_JOURNAL_BYTES = 64 * 1024

// agent/cells/site-splitter.ts
/** The cell rests while it is being split. If the split fails, it waits in the queue again after this. */
export const SPLIT_REST_MS = 5_000

// agent/cells/site-work.ts
/** A cell with nothing to do checks its inbox this often: a notice may have been lost. */
export const IDLE_LOOK_MS = 10_000
/** How often a release checks whether another robots procedure has returned the turn it borrowed. */
export const BORROW_LOOK_MS = 50
/**
 * A finished site is kept this long while others are crawled: late links find its queue in memory. If it were
 * released at once, each pack with a link for it would cause a rebuild from its journal.
 */
export const LINGER_MS = 2_000
/** If the ledger refuses to finish a cell without unread rows, try again after this. */
export const REFUSED_LOOK_MS = 250

// agent/cells/spare-sites.ts
/** An agent that is done within this time releases none: even equal agents differ by as much. */
export const SPARE_SITES_LEAST_LEFT_MS = 10_000
/** A request within this time is a repetition by the bus: the coordinator pauses longer. */
export const SPARE_SITES_REPEAT_MS = 2_000

// agent/cells/turn-hand-over.ts
export const TURN_HAND_OVER_LEAST_KEEP_MS = 1_000 // a hand-over itself takes a heartbeat

// agent/heartbeat/heartbeat-loop.ts
/** How long a lease lasts without a heartbeat. */
export const LEASE_MS = 30_000
export const HEARTBEAT_MS = 1_000 // a lease survives many lost ones

// agent/heartbeat/peer-probe.ts
export const PEER_PROBE_EVERY_MS = 10_000 // distances change slowly
/** Shorter times count as this: a coarse clock may measure zero. */
export const PEER_PROBE_LEAST_MS = 0.01

// agent/lane/lane-politeness.ts
export const PAUSE_LOOK_MS = 250 // a person waits for the crawl to continue

// agent/lane/procedure-turns.ts
/** After this, a turn that another agent holds is requested again. */
export const PROCEDURE_TURNS_LOOK_MS = 1_000
/** If that agent does not release the turn in time, the whole procedure is repeated after this. */
export const HELD_ELSEWHERE_MS = 30_000

// agent/lane/qualifier.ts
/** How often a waiting lane checks whether its site is still leased. */
export const QUALIFIER_LOOK_MS = 1_000

// agent/lane/router.ts
/** How much of a long URL the outcome shows. */
export const ROUTER_SHOWN_CHARS = 120

// agent/pack/open-pack-cell.ts
/** Memory of a page that sent links from another agent. */
export const RECEIVED_LINK_BYTES = 32

// agent/pack/page-budget.ts
export const PAGE_BUDGET_BLOCK_PAGES = 500 // seconds of work of an agent per call of the ledger

// agent/pack/sent-links.ts
export const GENERATION_URLS = 150_000 // two generations of 8-byte entries take a few megabytes

// agent/pack/transmitter.ts
export const DISK_RETRY_MS = 2_000 // a person frees space, which takes longer

// agent/site/bucket-dispatcher.ts
/** The longest wait for room in the bucket or in the window of states. */
export const BUCKET_DISPATCHER_LOOK_MS = 1_000

// agent/site/page-faults.ts
export const PAGE_FAULTS_STACK_CHARS = 4_000 // a page must not fill the log

// coordinator/cell-grants.ts
/** An assignment that binds cells to lanes has to see more of the queue than the free lanes need. */
export const ALL_READ_CELLS = 100_000

// coordinator/fair-shares.ts
/** Longer than agents of one machine take turns with its processors. */
export const FAIR_SHARES_HOLD_MS = 10_000
/** An agent without any site for so long is faster than the others, not only ahead for a moment. */
export const FAIR_SHARES_DRY_MS = 3_000

// coordinator/route-publisher.ts
/**
 * How often the counts are saved. They are for the report only: if the coordinator dies, the last are lost.
 */
export const ROUTE_PUBLISHER_SAVE_MS = 5_000

// coordinator/self-routed-cells.ts
/** An agent notices a new cell at once, or with its next heartbeat. */
export const SELF_ROUTED_NOTICE_MS = 1_500
/** A cell that waits for a turn is not read in every round; after this it no longer waits. */
export const SELF_ROUTED_TURN_MS = 5_000

// coordinator/site-takeover.ts
/** Time for sites to be committed, released, leased and opened, and for heartbeats to report it. */
export const SITE_TAKEOVER_PAUSE_MS = 5_000

// transfer/channel.ts
/** A connection without data for this long is closed; the next try continues where it stopped. */
export const CHANNEL_SILENCE_MS = 10_000

// transfer/remote-pack-store.ts
/** How long to try before the store counts as away. */
export const REMOTE_PACK_STORE_PATIENCE_MS = 5_000
export const REMOTE_PACK_STORE_AGAIN_MS = 250 // a restarted coordinator listens again soon

// agent/lane/link-rater.ts
/** URLs that a guest rates at once: a page has a hundred, a sitemap up to 100,000. */
export const RATED_URLS = 1_000

// agent/lane/lane.ts
/** While a host crawls a site, URLs that only its server can answer wait for this. */
export const ENVOY_LOOK_MS = 1_000
