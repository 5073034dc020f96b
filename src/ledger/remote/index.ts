/**
 * ledger/remote/: the ledger of one thread, called from others. In: calls of the port as messages. Out: the
 * same answers. Always: an fsync stops the ledger's thread, never the crawl.
 */
export { LedgerServer, portLedger, threadLedger } from './thread-ledger.js'
