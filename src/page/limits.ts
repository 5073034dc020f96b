/**
 * Tunable numbers of `page/`, with their reasons. Bounds against the web are in `model/limits.ts`.
 */

// fetch/body/body-buffer.ts
/** A promised length up to this is allocated at once; for a longer one bytes must arrive first. */
export const BODY_BUFFER_BELIEVED_BYTES = 256 * 1024

// fetch/body/buffer-pool.ts
/** The most that the pool keeps. */
export const BUFFER_POOL_KEPT_BYTES = 4 * 1024 * 1024

// fetch/body/decoded.ts
/** A body up to this size, with output up to this size, is decoded synchronously. */
export const AT_ONCE_BYTES = 256 * 1024
export const AT_ONCE_OUTPUT_BYTES = 4 * 1024 * 1024

// fetch/body/zlib-coding.ts
export const STREAM_CHUNK_BYTES = 64 * 1024 // few calls, and little memory for a short body

// fetch/body/zstd-coding.ts
/** RFC 9659: the largest window that a receiver must support. */
export const ZSTD_CODING_WINDOW_BYTES_MAX = 8 * 1024 * 1024

// fetch/connect/connection.ts
export const WINDOWS_INBOX_BYTES = 16 * 1024 // every connection has its own there

// fetch/dns/hosts-file.ts
/** Block lists of 100,000 names exist; names beyond this size are left to the system. */
export const HOSTS_FILE_READ_BYTES = 4 * 1024 * 1024

// fetch/dns/name-lookup.ts
/** The longest wait for IPv6 after the IPv4 answer. */
export const SECOND_FAMILY_MS = 1_000

// fetch/local/read-pace.ts
/** A read in the agent's thread that took longer than this was not served by memory. */
export const SLOW_READ_MS = 4
/** As many reads after it go to the thread pool. */
export const POOLED_READS = 256

// fetch/local/local-fetcher.ts
/** The longest time that reads follow each other without a look at timers and sockets. */
export const LOCAL_TURN_MS = 10

// fetch/warc/warc-reader.ts
export const WARC_READER_WINDOW_BYTES = 256 * 1024 // holds most records; it grows for longer ones

// fetch/archive/
/** A scan reads so much at a time; longer records are inflated in pieces. */
export const SCAN_WINDOW_BYTES = 1024 * 1024
/** The part of a long record that a scan keeps: WARC headers have a few hundred bytes. */
export const RECORD_START_BYTES = 64 * 1024
/** Longer lines of an index are no captures: a URL has at most 2,048 characters. */
export const CDXJ_LINE_BYTES_MAX = 64 * 1024
export const CAPTURE_COMMIT_ROWS = 50_000 // a commit costs as much as thousands of rows
/** WARC files of one source that are open at the same time. */
export const OPEN_ARCHIVES = 64
/** The records behind a response that may tell how long it took: request and metadata are short. */
export const FOLLOWING_BYTES = 16 * 1024
/** Captures of one URL that are tried until one can be read. */
export const CAPTURES_TRIED = 16

// fetch/directory/document-root.ts
/**
 * Larger files are read by the thread pool, in pieces, so that a wait for the disk does not stop the thread.
 */
export const SMALL_FILE_BYTES = 256 * 1024
export const FILE_PIECE_BYTES = 1024 * 1024

// frontier/journal-pieces.ts
/** Slightly below 32 KiB, the next size of the writer's buffer. */
export const JOURNAL_PIECES_PIECE_BYTES = 28 * 1024
/** Smaller pieces are not worth a call of zlib. */
export const DEFLATE_BYTES = 1024

// frontier/plan-split.ts
/** A cut is part of cell names, and so of every row. */
export const PLAN_SPLIT_CUT_CHARS = 200

// frontier/queue/byte-queue.ts
export const BYTE_QUEUE_PIECE_BYTES = 1024 // most sites have short queues

// frontier/queue/queue-space.ts
/** Fewer bytes are not worth a page. */
export const QUEUE_SPACE_SMALLEST_SPILL_BYTES = 1024

// frontier/scope/scope.ts
/** Number of sites whose judgement is cached; an unlimited crawl meets millions. */
export const REMEMBERED_SITES = 100_000

// frontier/seen/seen-set.ts
export const PARTITION_ENTRIES = 128 * 1024 // a partition is spilled as a whole: a megabyte of fingerprints

// frontier/seen/seen-space.ts
export const SEEN_SPACE_SMALLEST_SPILL_BYTES = 4096 // a page of the file system
export const RECENT_MAX_BYTES = 1024 * 1024

// frontier/traps/calendar.ts
/** Events are announced a year or two ahead. */
export const CALENDAR_AHEAD_DAYS = 2 * 366

// guest/guest-module.ts
/** Text that a guest keeps of a page: as much as the tables keep of a page's text. */
export const GUEST_PART_CHARS = 1024 * 1024

// guest/sandboxed-guest.ts
/** The virtual machine stops earlier; these catch what does not reach it. */
export const GUEST_LIMITS = {
  cpuMs: 1_000,
  wallMs: 1_500,
  /** No code of a guest can wait without working, so this is a fault of the machine. */
  silentMs: 10_000,
  /** The crawl waits for a slow guest for at most this time. */
  waitMs: 30_000,
  rssBytes: 240 * 1024 * 1024,
  answerBytes: 8 * 1024 * 1024,
} as const

// guest/guest-source.ts
export const GUEST_CODE_BYTES = 4 * 1024 * 1024 // a bundle with a library

// guest/html/page-tree.ts
/** Elements of one page that a guest may ask for, and the text of one of them. */
export const ELEMENTS_FOUND = 20_000
export const ELEMENT_TEXT_CHARS = 1024 * 1024

// guest/html/selector.ts
export const SELECTOR_CHARS = 1_000 // longer ones are a mistake

// guest/items.ts
/** Rows of one page: a listing has a hundred. */
export const ITEMS_PER_PAGE = 1_000
/** Each is a column of the table. */
export const ITEM_FIELDS = 64
export const ITEM_FIELD_CHARS = 64
/** Different fields in the rows of a guest without a schema. */
export const ITEM_COLUMNS = 256

// guest/realm/realm.ts
/** Of the virtual machine; a page of 16 KB needs about one. */
export const REALM_MEMORY_BYTES = 64 * 1024 * 1024
export const REALM_STACK_BYTES = 512 * 1024
/** Of one call; a page of 16 KB takes one or two. */
export const REALM_CALL_MS = 500
/** JSON that a call may return. */
export const REALM_ANSWER_CHARS = 2 * 1024 * 1024

// guest/realm/guest-program.ts
/** Calls after which the guest is asked to save. */
export const REALM_SAVE_EVERY = 200
export const REALM_STATE_CHARS = 1024 * 1024

// parse/charset/charset.ts
/** Detection reads this much; its cost grows with it. */
export const CHARSET_DETECT_BYTES = 32 * 1024
/** The sniffer searches this much for a `<meta>`. */
export const CHARSET_PRESCAN_BYTES = 1_024
/** Browsers start again if they meet a `<meta>` after the part that the sniffer reads. */
export const LATE_META_BYTES = 256 * 1024

// parse/links/rel.ts
export const KNOWN_CHARS = 64 // real values are short; a long one is not worth a place

// parse/memory/page-memory.ts
export const PAGE_MEMORY_KEPT_BYTES = 4 * 1024 * 1024 // longer pages are rare

// politeness/lease-margin.ts
/** Interval of checks while waiting for a renewal. */
export const LEASE_MARGIN_LOOK_MS = 250

// politeness/phase-gate.ts
/** Interval of checks while the ledger time is not known for certain. */
export const PHASE_GATE_LOOK_MS = 250

// politeness/phases/phase-clock.ts
/** The ledger returns whole milliseconds. */
export const PHASE_CLOCK_ROUNDING_MS = 1

// politeness/phases/phase-windows.ts
/** Timers of a busy process abort requests this late. */
export const PHASE_WINDOWS_TIMER_MS = 50

// politeness/phases/plan.ts
export const PLAN_PERIOD_MS = 10_000 // the guards take a small part of it
/** A page waits for its node up to a round of all phases, so with many phases each is shorter. */
export const PLAN_ROUND_MS = 40_000
export const PLAN_LEAST_PERIOD_MS = 5_000 // with shorter ones the guards take too much
export const PLAN_GUARD_MS = 250
export const PLAN_DRAIN_MOST_MS = 1_000

// politeness/politeness.ts
export const AUTO_MIN_MS = 1_000 // the usual delay of a polite crawler
export const AUTO_MAX_MS = 30_000 // a slow server is not left for minutes

// politeness/rate-limit.ts
/** Unused rate can be caught up for this long, because timers are a millisecond or two late. */
export const RATE_LIMIT_BURST_MS = 50

// politeness/turn-demand.ts
/** Returned sites must be rebuilt later, so a turn is kept at least this long. */
export const KEEP_MS = 10_000
/** Waiting agents repeat their demand every second; without repetition it ends after this time. */
export const TURN_DEMAND_FORGET_MS = 5_000

// robots/robots-procedure.ts
export const ROBOTS_PROCEDURE_PAUSE_MS = 2_000 // a server that restarts needs some seconds
/** The least time for an attempt, however many addresses there are. */
export const ROBOTS_PROCEDURE_LEAST_SHARE_MS = 2_000

// robots/robots-rules.ts
/** Thousands of sites have the default robots.txt of their software, so short ones are cached. */
export const ROBOTS_RULES_SHARED_BYTES = 1_024

// sandbox/sandbox.ts
/** A child is compared with its limits so often while it works. */
export const SANDBOX_LOOK_MS = 50
/** Tasks and bytes that a child has at once: enough to keep it busy while answers travel. */
export const SANDBOX_SENT_TASKS = 64
export const SANDBOX_SENT_BYTES = 2 * 1024 * 1024

// sandbox/serve-tasks.ts
export const SANDBOX_READ_BYTES = 256 * 1024 // a pipe holds 64 KiB, a socket pair somewhat more
