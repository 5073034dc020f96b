/**
 * Entry of the thread for slow work: it converts row logs to Parquet, merges Parquet files, sorts indexes,
 * plans routes and writes the learned data.
 */
import { parentPort } from 'node:worker_threads'
import { concatParquet, convertLogs, groupBySchema } from '../data/store/tables/parquet/index.js'
import { finishIndex } from '../data/store/warc/index.js'
import { learn } from '../runtime/routing/index.js'
import type { StoreAnswer, StoreJob } from '../runtime/threads/index.js'

parentPort!.on('message', async (job: StoreJob) => {
  try {
    parentPort!.postMessage({ id: job.id, ok: true, value: await run(job) } satisfies StoreAnswer)
  } catch (error) {
    const { message, code, path } = error as NodeJS.ErrnoException
    parentPort!.postMessage({
      id: job.id,
      ok: false,
      message,
      ...(code !== undefined && { code }),
      ...(path !== undefined && { path }),
    } satisfies StoreAnswer)
  }
})

async function run(job: StoreJob): Promise<unknown> {
  switch (job.kind) {
    case 'convert':
      return convertLogs(job.task)
    case 'concat':
      return concatParquet(job.inputs, job.outPath)
    case 'schemas':
      return groupBySchema(job.paths)
    case 'index':
      return finishIndex(job.task)
    case 'route':
      // Loaded only here: it brings the partitioner along.
      return (await import('../runtime/routing/index.js')).makeRoutes(job.task)
    case 'repartition':
      return (await import('../runtime/routing/index.js')).repartition(job.task)
    case 'learn':
      return learn(job.step)
  }
}
