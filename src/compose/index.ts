/**
 * compose/: the only place that picks implementations, and the only one that knows the real clock and the
 * real random source. In: a checked configuration and a directory. Out: a crawl that runs.
 */
export { chooseAssignment } from './choose.js'
export { limitCompiler } from './compiler-options.js'
export { copyToDatabase, copyToDirectory } from './copy-ledger.js'
export {
  absolute,
  CRAWL_FILE,
  crawlName,
  defaultDirectory,
  holdsPages,
  readCrawlFile,
  writeCrawlFile,
} from './crawl-directory.js'
export { readRecord } from './crawl-record.js'
export { describeCrawl } from './describe-crawl.js'
export { leaseNow } from './faults.js'
export { type CrawlAddress, type FindPurpose, type FoundCrawl, findCrawl, needTrusted } from './find-crawl.js'
export { ledgerNameOf } from './generation.js'
export { boundHeap } from './heap-bounds.js'
export { JoinedAgent } from './joined-agent.js'
export { openLedger, openUnproved } from './open-ledger.js'
export { type PartitionOptions, partition } from './partition.js'
export { isForeign, openToVerify } from './read-ledger.js'
export { checkRobots } from './robots-check.js'
export type { RunOptions } from './run-options.js'
export { REPORT_FILE, wasConcluded } from './run-report.js'
export { closeSilentIncarnations, hasRunningAgents } from './running-agents.js'
export { CrawlSession, createSession, resumeSession } from './session.js'
export { systemClock } from './system-clock.js'
export { systemRandom } from './system-random.js'
export { needTrust, needTrustInCopy, previousOf } from './trust.js'
