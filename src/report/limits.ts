/**
 * Tunable numbers of `report/`, with their reasons. Bounds against the web are in `model/limits.ts`.
 */

// count-urls.ts
/** Small, because batches that were read become garbage that is collected late. */
export const COUNT_URLS_BATCH_BYTES = 256 * 1024

// known-web.ts
export const KNOWN_WEB_READ_BYTES = 1024 * 1024 // longer pieces are not faster

// report.ts
export const TROUBLED_SITES = 100 // a person reads them
