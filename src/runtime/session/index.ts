/**
 * runtime/session/: a process that runs a crawl or joins one. In: a configuration and a directory, or a crawl
 * to join. Out: a crawl that ends, and its report. Always: a run begins by proving that directory and ledger
 * are a pair, and ends by writing everything that is derived from them.
 */
export { JoinedAgent } from './joined-agent.js'
export type { RunOptions } from './run-options.js'
export { REPORT_FILE, STARTED_AT, wasConcluded, writeReport } from './run-report.js'
export { type CrawlSession, createSession, resumeSession } from './session.js'
export { writeSitesTable } from './sites-table.js'
