/**
 * Tunable numbers of `files/`, with their reasons. Bounds against the web are in `model/limits.ts`.
 */

// file-digest.ts
export const FILE_DIGEST_PIECE_BYTES = 1024 * 1024 // longer pieces are not faster

// whole-io.ts
export const WHOLE_IO_COPY_BYTES = 1024 * 1024 // longer pieces are not faster
