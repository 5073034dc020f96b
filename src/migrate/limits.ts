/**
 * Tunable numbers of `migrate/`, with their reasons. Bounds against the web are in `model/limits.ts`.
 */

// bundle/container.ts
/** A manifest with 64 keywords has four kilobytes. */
export const MANIFEST_MAX_BYTES = 64 * 1024
/** Smaller sections are compressed at once: the thread pool would cost more than the work. */
export const AT_ONCE_BYTES = 64 * 1024
/** Both formats have fewer. */
export const MOST_SECTIONS = 16

// bundle/bundle.ts
/** A bundle as sent: eight million fingerprints of seen URLs, which do not compress. */
export const BUNDLE_BYTES = 64 * 1024 * 1024
/** The sections of a bundle together, inflated: a host holds them in memory. */
export const BUNDLE_INFLATED_BYTES = 128 * 1024 * 1024
export const MOST_KEYWORDS = 64
export const KEYWORD_CHARS = 64
export const MOST_PREFIXES = 64
/** A bundle that travels by folder may be under way for a month. */
export const BUNDLE_LIFE_MS = 31 * 24 * 3_600_000
/** Clocks of home and host may differ by this. */
export const CLOCK_SKEW_MS = 5 * 60_000

// bundle/return-part.ts
/** A part is sealed when its pages have this size; brotli finds repetitions within a part only. */
export const PART_BYTES = 8 * 1024 * 1024
/** The largest part a home accepts, inflated: one page may be as large as `--max-body`. */
export const PART_INFLATED_BYTES = 96 * 1024 * 1024
/** Pages in one part, kept or only judged. */
export const PART_PAGES = 100_000
/** Links to other sites in one part. */
export const PART_LINKS = 200_000

// tour/return-writer.ts
/** Pages gzipped at the host, to estimate what HTTP with gzip would have needed. */
export const GZIP_SAMPLE_PAGES = 100

// tour/tour.ts
/** Links to other sites of one page that was not kept. */
export const FOREIGN_LINKS_PER_PAGE = 1_000

// bundle/messages.ts
/** Origins that a card lists. */
export const MOST_CARD_ORIGINS = 1_000

// host/policy.ts
/** Homes that an owner allows: one page shows them all. */
export const MOST_HOMES = 1_000
/** What a home may have read in one tour, unless the owner says otherwise: a large site. */
export const DEFAULT_TOUR_READ_BYTES = 64 * 1024 * 1024 * 1024
/** A host reads on the machine of the server, whose owner has asked for it: no pause. */
export const DEFAULT_HOST_DELAY_MS = 0

// host/replay-guard.ts
/** Ids of bundles that have not expired: one file each. */
export const MOST_ACCEPTED = 10_000

// host/tour-lease.ts
/** A home asks about once a second. */
export const MOST_NONCES = 16
/** No lease is longer: the host would read for so long after its home is gone. */
export const TOUR_LEASE_MAX_MS = 10 * 60_000

// host/hosted-tour.ts
/** Parts that wait for the home; then the tour waits. About 2 MB each, compressed. */
export const MOST_PARTS_KEPT = 4
/** A part that is older goes home even if it is not full. */
export const PART_AGE_MS = 2_000
/** A tour whose home says nothing for so long is dropped with its parts. */
export const TOUR_KEPT_MS = 10 * 60_000
/** Seen-set and queue of one tour in memory; the rest is on disk. */
export const TOUR_SEEN_BYTES = 16 * 1024 * 1024
export const TOUR_QUEUE_BYTES = 8 * 1024 * 1024

// host/host-tours.ts
/** Tours of different homes at the same time. */
export const MOST_TOURS = 8
/** Refusals that are written to the audit log: others could fill the disk with them. */
export const REFUSALS_PER_MINUTE = 60

// host/host-server.ts
export const HOST_CONNECTIONS = 256
/** A renewal has 300 bytes. */
export const RENEWAL_BYTES = 4_096
export const HOST_HEADERS_MS = 10_000
/** Enough for the largest bundle at 10 Mbit/s. */
export const HOST_REQUEST_MS = 60_000

// carrier/http-carrier.ts
/** Cards, progress and refusals are short. */
export const ANSWER_BYTES = 256 * 1024
export const ANSWER_MS = 10_000
/** A host that does not answer a renewal in this time is asked again: its lease runs out meanwhile. */
export const RENEWAL_MS = 3_000
/** A bundle or a part on its way. */
export const CARRY_MS = 120_000

// envoy/held-visits.ts
/** Visits that have come home and wait for their lane. */
export const HELD_VISIT_BYTES = 32 * 1024 * 1024

/** A visit in memory besides its bytes. */
export const HELD_OVERHEAD_BYTES = 1_024

// envoy/site-tour.ts
/** How often a home renews a tour and asks for parts. */
export const TOUR_LOOK_MS = 500
/** Renewals without an answer, after which a host is lost. */
export const LOST_LOOKS = 5
/** The largest part that a home reads, as sent: hosts seal parts of 8 MiB and compress them. */
export const PART_SENT_BYTES = 64 * 1024 * 1024

// envoy/site-envoys.ts
/** URLs that a bundle begins with, and pages that it asks for; further ones follow with the next tour. */
export const FRONTIER_ROWS = 100_000
/** Fingerprints in a bundle: those that do not fit are visited again, and the home drops the visits. */
export const SEEN_MOST_BYTES = 48 * 1024 * 1024
export const JOURNAL_BATCH_BYTES = 4 * 1024 * 1024
/** A bundle is used at once. */
export const BUNDLE_SENT_LIFE_MS = 10 * 60_000
/** A lane that waits for a visit looks this often whether its site is left. */
export const HELD_LOOK_MS = 250
/** A host that was lost, refuses or brought nothing is not asked again for this time, which doubles. */
export const REST_FIRST_MS = 60_000
export const REST_MOST_MS = 3_600_000
