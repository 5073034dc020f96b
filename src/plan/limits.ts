/**
 * Tunable numbers of `plan/`, with their reasons. Bounds against the web are in `model/limits.ts`.
 */

// assign/learned/cut-web.ts
/** Sites with fewer pages stay whole, and pieces have at least this many: fewer do not justify a lease. */
export const CUT_WEB_LEAST_PAGES = 100
export const LEAST_PIECE_PAGES = 10

// assign/learned/predict-times.ts
/** The paper has 40 bytes per URL; our rows also name the page with the link. */
export const PREDICT_TIMES_MESSAGE_BYTES = 150

// assign/learned/similar-sites.ts
export const SIMILAR_SITES_MOST_SITES = 2 ** 22 // a key and a vertex share the 53 bits of a number

// assign/turn-requests.ts
/** Agents repeat a turn request every second, and the bus may lose some. */
export const REQUEST_MS = 3_000

// learn/line-file.ts
/** Size of a gzip member before compression. */
export const MEMBER_CHARS = 1024 * 1024

// partition/io/line-scanner.ts
export const LINE_SCANNER_SHOWN_CHARS = 24 // the message fits one line

// partition/solve.ts
/** Bytes the pin counts and links of one k-way placement may take. */
export const PLACEMENT_BYTES = 1_000_000_000
