/**
 * runtime/directory/: the crawl directory. In: a configuration, a path. Out: crawl.json, the record of the
 * crawl in its ledger, the lock, the log, generations, trust. Always: a directory belongs to one ledger and
 * one process, and has no effect on this machine before its user trusts it.
 */
export {
  absolute,
  CRAWL_FILE,
  type CrawlFile,
  checkVacant,
  crawlName,
  createDirectory,
  defaultDirectory,
  holdsPages,
  indexFolder,
  newCrawlFile,
  readCrawlFile,
  type TimeAndRandom,
  writeCrawlFile,
} from './crawl-directory.js'
export { awaitRecord, readRecord, saveRecord } from './crawl-record.js'
export { DirectoryLock, takeLock } from './directory-lock.js'
export { AgentRestartLimitError, DirectoryBusyError, DiskFullError, NewerCrawlError } from './errors.js'
export {
  announceGeneration,
  beginGeneration,
  checkPairNow,
  ledgerNameOf,
  type NewGeneration,
} from './generation.js'
export { Log } from './log.js'
export {
  type Distrust,
  distrustOf,
  distrustOfRecord,
  guestNamed,
  needTrust,
  needTrustInCopy,
  needTrustInRecord,
  previousOf,
  untrusted,
} from './trust.js'
