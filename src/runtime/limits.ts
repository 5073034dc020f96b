/**
 * Tunable numbers of `runtime/`, with their reasons. Bounds against the web are in `model/limits.ts`.
 */

// access/copy-ledger.ts
export const COPY_LEDGER_BEAT_MS = 1_000 // as often as an agent

// access/running-agents.ts
export const RUNNING_AGENTS_LOOK_MS = 200 // heartbeats come every second

// agents/thread-agent-pool.ts
export const THREAD_AGENT_POOL_SOON_MS = 10_000 // an agent that fails later has done some work

// directory/crawl-record.ts
/**
 * How long to wait for the record of a crawl whose tables were made a moment ago.
 */
export const CRAWL_RECORD_MAKING_MS = 10_000
export const CRAWL_RECORD_LOOK_MS = 200 // a person waits for it

// machine/agent-abilities.ts
/** The pause between two readings; a heartbeat is about the second before it. */
export const AGENT_ABILITIES_LOOK_MS = 2_000
/** Fewer pages say nothing of an agent's speed. */
export const AGENT_ABILITIES_LEAST_PAGES = 50

// machine/monitor.ts
export const MONITOR_LOOK_MS = 1_000 // load over less time jumps

// machine/usage-meter.ts
/** A killed run loses at most this much. */
export const USAGE_METER_SAVE_MS = 2_000

// recovery/file-recovery.ts
export const FILE_RECOVERY_CLOSING_MS = 5_000 // an agent that ends normally closes its files in less
export const FILE_RECOVERY_LOOK_MS = 100 // the end of the crawl waits for it

// routing/keep-learned.ts
export const KEEP_LEARNED_BATCH_SITES = 1_000 // bounds the memory, and the worker is not idle

// routing/route-task.ts
export const ROUTE_TASK_NAMED_SITES = 10 // a person reads them

// routing/split-heavy.ts
export const SPLIT_HEAVY_BATCH_ROWS = 2_000 // bounds the memory of a large inbox
/** Each page comes with its text, so a batch has fewer of them. */
export const SPLIT_HEAVY_BATCH_PAGES = 500

// session/coordinator-runtime.ts
export const COORDINATOR_RUNTIME_LOOK_MS = 200 // a person waits for the end

// session/heartbeat-tasks.ts
export const CHECKPOINT_LOOK_MS = 100 // agents seal a pack within seconds
/** A count of the ledger is followed by a pause as long as this many: counting takes 2 % of the time. */
export const COUNT_PAUSE_COUNTS = 50

// session/joined-agent.ts
/** How often an agent without the store checks whether the crawl is to stop. */
export const JOINED_AGENT_LOOK_MS = 1_000

// session/pack-endpoint.ts
export const PACK_ENDPOINT_CLOSING_MS = 5_000 // an agent that ends normally closes its files in less
export const PACK_ENDPOINT_LOOK_MS = 50 // the end of the crawl waits for it

// session/recrawl.ts
export const RECRAWL_BATCH_ROWS = 2_000 // bounds the memory and the length of a transaction
/** Each row has the text of a page, so a batch has fewer of them. */
export const RECRAWL_FACT_ROWS = 500
export const RECRAWL_JOURNAL_BYTES = 4 * 1024 * 1024 // bounds the memory of a large previous crawl

// session/remote-agents.ts
export const REMOTE_AGENTS_LOOK_MS = 200 // a person waits for the end

// threads/heap-bounds.ts
/** Both halves of the young generation together. */
export const YOUNG_BYTES = 8 * 1024 * 1024

// threads/page-sender.ts
/** Pages of one agent that were sent and not taken yet. */
export const PAGE_SENDER_SENT_PAGES = 4

// threads/page-stream.ts
/** Pages, and bytes of their bodies, that wait for the loop; when there are more, the lanes wait. */
export const BUFFERED_PAGES = 64
export const BUFFERED_BYTES = 32 * 1024 * 1024
