/**
 * page/frontier/queue/: the URLs of a cell that wait. In: entries. Out: the next one, breadth first or by
 * score; retries when they are due. Always: memory has a bound; the rest is on disk.
 */
export { CellQueue, type QueueEntry } from './cell-queue.js'
export { QueueSpace } from './queue-space.js'
export { RankedRoom, RankedWindow } from './ranked-window.js'
