/**
 * simulate/snapshot/: a stored crawl as a web (M18). In: WARC files. Out: their captures over HTTP on
 * loopback, under the names of their sites, with status, headers and latency as recorded. Always: nothing is
 * sent that was not recorded, except 404 and 304.
 */
export { SnapshotServer } from './snapshot-server.js'
