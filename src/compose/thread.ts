import { Worker } from 'node:worker_threads'

/** Starts a thread from a module beside this one, compiled or (under test) as source. */
export function startThread(name: string, data: unknown): Worker {
  const source = import.meta.url.endsWith('.ts')
  const url = new URL(`./${name}.${source ? 'ts' : 'js'}`, import.meta.url)
  return new Worker(url, { workerData: data, ...(source ? { execArgv: ['--import', 'tsx'] } : {}) })
}
