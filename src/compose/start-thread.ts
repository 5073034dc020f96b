import { Worker } from 'node:worker_threads'
import { packageFile } from '../model/bytes/index.js'
import type { ThreadName, ThreadOptions } from '../runtime/platform/index.js'
import { keepHeapBounds, startWithYoung } from '../runtime/threads/index.js'
import { FLAGS_MS } from './limits.js'

/**
 * Most of our threads keep little: small young generations are collected early instead of growing to what V8
 * would allow.
 */
const YOUNG_MB = 2
/** The limit that V8 enforces also includes large objects, up to half as much again. */
const WITH_LARGE = 1.5

/** Starts a thread; threads run what `npm run build` made, also when the caller runs from source. */
export function startThread(name: ThreadName, data: unknown, options: ThreadOptions = {}): Worker {
  return startThreadOf(`dist/compose/${name}.js`, data, options)
}

export function startThreadOf(file: string, data: unknown, options: ThreadOptions): Worker {
  const { youngMb } = options
  const started = youngMb === undefined ? () => {} : startWithYoung(youngMb)
  const worker = new Worker(packageFile(file), {
    workerData: data,
    transferList: [...(options.transfer ?? [])],
    trackUnmanagedFds: options.keepsFiles !== true,
    resourceLimits: { maxYoungGenerationSizeMb: youngMb === undefined ? YOUNG_MB : youngMb * WITH_LARGE },
  })
  // V8 changes our flags at some point while a thread starts.
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
