/**
 * runtime/threads/: messages between the threads of a process. In: pages, and slow work of the store. Out:
 * both in another thread. Always: the number of waiting messages is bounded.
 */
export { boundHeap, keepHeapBounds, limitCompiler, startWithYoung } from './heap-bounds.js'
export { PageSender, receivedPage, type SentPage } from './page-sender.js'
export { type PageReader, PageStream } from './page-stream.js'
export { type StoreAnswer, type StoreJob, StoreWorker } from './store-worker.js'
