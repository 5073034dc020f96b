/**
 * data/store/tables/parquet/: row logs -> Parquet. Always: a file is written completely or not at all;
 * conversion needs memory for one row group.
 */
export { concatParquet, groupBySchema, type ParquetInput, parquetRows } from './concat.js'
export { type Conversion, type ConvertTask, convertLogs, type WrittenParquet } from './convert.js'
export { linkKindOf } from './link-table.js'
export { type SiteRow, writeSites } from './site-table.js'
