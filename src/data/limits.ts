/**
 * Tunable numbers of `data/`, with their reasons. Bounds against the web are in `model/limits.ts`.
 */

// export/export-index.ts
export const EXPORT_COMMIT_ROWS = 10_000 // a commit costs as much as thousands of rows
export const EXPORT_PORTION_ROWS = 500 // bounds the memory of rows with texts

// export/file-names.ts
export const PATH_BYTES = 200 // file systems allow 255 in a name, and a suffix may follow

// export/rewrite-html.ts
/** A longer one is an attack on the regular expression. */
export const REFRESH_CHARS = 4_096

// query/compare.ts
/** DuckDB's limit: the process that crawls runs this at its end. */
export const COMPARE_MEMORY_BYTES = 256 * 1024 * 1024
/** Rows that are compared at once. */
export const COMPARE_PART_ROWS = 500_000

// query/connection.ts
export const CONNECTION_TELL_MS = 20 // an interruption before the query has begun is lost

// query/format-table.ts
/** Cells are cut to this before anything is measured: a page's text may be a megabyte. */
export const LONGEST_CELL_CHARS = 2_000

// query/format-text.ts
/** A piece of at least this length is passed on: few writes, and no string as long as the result. */
export const FORMAT_TEXT_PIECE_CHARS = 64 * 1024

// query/previous.ts
/** DuckDB's limit: a recrawl starts inside the process that crawls. */
export const PREVIOUS_MEMORY_BYTES = 256 * 1024 * 1024
/** Rows sorted at once. DuckDB spills to disk, and still 700,000 rows with long URLs exceed the limit. */
export const PREVIOUS_PART_ROWS = 500_000

// store/pack-builder.ts
export const PACK_BUILDER_START_BYTES = 256 * 1024 // most packs of a slow crawl are smaller

// store/table-merger.ts
export const TABLE_MERGER_GRACE_MS = 10_000 // a query that has listed the old files may still open them

// store/tables/parquet/concat.ts
export const FOOTER_BYTES_MAX = 64 * 1024 * 1024 // a damaged length must not exhaust the memory
export const CONCAT_COPY_BYTES = 1024 * 1024 // longer pieces are not faster

// store/tables/row-log-writer.ts
export const ROW_LOG_WRITER_FLUSH_BYTES = 1024 * 1024 // a segment is in memory until it is written

// store/tables/word-notes.ts
export const UNPACKED_BYTES = 16 * 1024 // enough words for a sketch, whatever the ratio

// store/warc/record-compressor.ts
// At level 1 the user asked for speed, and the header of a deflate block takes 80 bytes.
export const STORE_BELOW_BYTES = 1_024

// store/warc/sort-lines.ts
export const SORT_LINES_WINDOW_BYTES = 64 * 1024 // one window per sorted run is in memory
