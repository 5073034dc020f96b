import { Worker } from 'node:worker_threads'

/** Our threads keep little: small young generations are collected early instead of growing to what V8 would allow. */
const YOUNG_MB = 2

/** Starts a thread from a compiled module beside this one. */
export function startThread(name: string, data: unknown): Worker {
  const url = new URL(`./${name}.js`, import.meta.url)
  return new Worker(url, { workerData: data, resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB } })
}
