import { Worker } from 'node:worker_threads'
import { packageFile } from '../model/package-file.js'

/** Our threads keep little: small young generations are collected early instead of growing to what V8 would allow. */
const YOUNG_MB = 2

/** Starts a thread; threads run what `npm run build` made, whoever starts them. */
export function startThread(name: string, data: unknown): Worker {
  const url = packageFile(`dist/compose/${name}.js`)
  return new Worker(url, { workerData: data, resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB } })
}
