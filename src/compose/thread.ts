import { type TransferListItem, Worker } from 'node:worker_threads'
import { packageFile } from '../model/package-file.js'

/** Most of our threads keep little: small young generations are collected early instead of growing to what V8 would allow. */
const YOUNG_MB = 2

export interface ThreadOptions {
  readonly youngMb?: number
  /** Ports that go over to the thread. */
  readonly hands?: readonly TransferListItem[]
}

/** Starts a thread; threads run what `npm run build` made, whoever starts them. */
export function startThread(name: string, data: unknown, options: ThreadOptions = {}): Worker {
  const url = packageFile(`dist/compose/${name}.js`)
  return new Worker(url, {
    workerData: data,
    transferList: [...(options.hands ?? [])],
    resourceLimits: { maxYoungGenerationSizeMb: options.youngMb ?? YOUNG_MB },
  })
}
