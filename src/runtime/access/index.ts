/**
 * runtime/access/: how a process comes to the ledger of a crawl. In: a directory, or a database and a name.
 * Out: the crawl, its ledger to be read, a copy of it elsewhere. Always: a directory that is not trusted is
 * only read, and no password goes to the database it names.
 */
export { copyToDatabase, copyToDirectory } from './copy-ledger.js'
export { type CrawlAddress, type FoundCrawl, findCrawl, needTrusted } from './find-crawl.js'
export { isForeign, needReadable, openToVerify, readLedger } from './read-ledger.js'
export { alreadyRunningError, closeSilentIncarnations, hasRunningAgents } from './running-agents.js'
