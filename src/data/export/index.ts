/**
 * data/export/: a crawl -> files, JSON lines or Markdown.
 * In: a crawl directory and a query. Out: a folder or a file. Always: nothing is written outside the target.
 */
export { earlierCrawls } from './earlier-crawls.js'
export type { ExportResult } from './progress.js'
export { exportFiles } from './to-files.js'
export { exportJsonl } from './to-jsonl.js'
export { exportMarkdown } from './to-markdown.js'
