/**
 * Tunable numbers of `migrate/`, with their reasons. Bounds against the web are in `model/limits.ts`.
 */

// bundle/container.ts
/** A manifest with 64 keywords has four kilobytes. */
export const MANIFEST_MAX_BYTES = 64 * 1024
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
