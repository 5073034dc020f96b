import { type TransferListItem, Worker } from 'node:worker_threads'
import { packageFile } from '../model/package-file.js'
import { keepHeapBounds } from './heap-bounds.js'

/** Most of our threads keep little: small young generations are collected early instead of growing to what V8 would allow. */
const YOUNG_MB = 2
const FLAGS_MS = 5

export interface ThreadOptions {
  readonly youngMb?: number
  /** Ports that go over to the thread. */
  readonly hands?: readonly TransferListItem[]
}

/** Starts a thread; threads run what `npm run build` made, whoever starts them. */
export function startThread(name: string, data: unknown, options: ThreadOptions = {}): Worker {
  const url = packageFile(`dist/compose/${name}.js`)
  const worker = new Worker(url, {
    workerData: data,
    transferList: [...(options.hands ?? [])],
    resourceLimits: { maxYoungGenerationSizeMb: options.youngMb ?? YOUNG_MB },
  })
  // Somewhere on its way V8 corrects our flags.
  const timer = setInterval(keepHeapBounds, FLAGS_MS)
  return worker
    .once('exit', () => clearInterval(timer))
    .once('online', () => {
      clearInterval(timer)
      keepHeapBounds()
    })
}
