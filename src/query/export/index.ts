/**
 * query/export/: a crawl as files.
 * In: the tables and the archive, and those of earlier crawls for pages that have not changed since. Out: a folder for a browser, JSON lines, or Markdown.
 * Always: nothing is written over, nothing outside of the target; memory holds one page at a time.
 */
export type { EarlierCrawls } from './gather.js'
export type { Exported } from './progress.js'
export { exportFiles } from './to-files.js'
export { exportJsonl } from './to-jsonl.js'
export { exportMarkdown } from './to-markdown.js'
