import { Worker } from 'node:worker_threads'

/** Starts a thread from a compiled module beside this one. */
export function startThread(name: string, data: unknown): Worker {
  return new Worker(new URL(`./${name}.js`, import.meta.url), { workerData: data })
}
