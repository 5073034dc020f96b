import { type TransferListItem, Worker } from 'node:worker_threads'
import { packageFile } from '../model/bytes/index.js'
import { keepHeapBounds, startWithYoung } from './heap-bounds.js'

/**
 * Most of our threads keep little: small young generations are collected early instead of growing to what V8
 * would allow.
 */
const YOUNG_MB = 2
/** V8 counts large objects besides: as much as one half. */
const WITH_LARGE = 1.5
const FLAGS_MS = 5

export interface ThreadOptions {
  /** Both halves of its young generation together. */
  readonly youngMb?: number
  /** Ports that go over to the thread. */
  readonly hands?: readonly TransferListItem[]
  /**
   * Files that it leaves open stay open when it ends: closing a ledger would drop the locks of others here.
   */
  readonly keepsFiles?: boolean
}

/** Starts a thread; threads run what `npm run build` made, whoever starts them. */
export function startThread(name: string, data: unknown, options: ThreadOptions = {}): Worker {
  const url = packageFile(`dist/compose/${name}.js`)
  const { youngMb } = options
  const started = youngMb === undefined ? () => {} : startWithYoung(youngMb)
  const worker = new Worker(url, {
    workerData: data,
    transferList: [...(options.hands ?? [])],
    trackUnmanagedFds: options.keepsFiles !== true,
    resourceLimits: { maxYoungGenerationSizeMb: youngMb === undefined ? YOUNG_MB : youngMb * WITH_LARGE },
  })
  // Somewhere on its way V8 corrects our flags.
  const timer = setInterval(keepHeapBounds, FLAGS_MS)
  let isStarting = true
  const over = (): void => {
    clearInterval(timer)
    if (isStarting) started()
    isStarting = false
  }
  return worker.once('exit', over).once('online', () => {
    over()
    keepHeapBounds()
  })
}
