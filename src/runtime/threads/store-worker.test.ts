import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { startThread } from '../../compose/start-thread.js'
import { type LearnedTask, readLearned, type SiteCount } from '../../plan/learn/index.js'
import { StoreWorker } from './store-worker.js'

const directory = mkdtempSync(join(tmpdir(), 'orb-store-worker-'))
afterAll(() => rmSync(directory, { recursive: true }))

const BATCHES = 3
const BATCH = 500

async function* batches(pages: number): AsyncGenerator<SiteCount[]> {
  for (let batch = 0; batch < BATCHES; batch++)
    yield Array.from({ length: BATCH }, (_, i) => ({
      ...{ site: `s${batch * BATCH + i}.test`, pages, bytes: 100, fetchMs: 1 },
      ...{ notModified: 0, isWhole: true },
    }))
}

function task(crawl: string): LearnedTask {
  return { directory, crawl, now: 0, hasLinks: true, files: [], agents: [], previous: null }
}

it('what was learned is written by a thread, one crawl state after the other, however they are asked for', async () => {
  const worker = new StoreWorker(startThread)
  try {
    const failing = worker.learn(batches(9), () => Promise.reject(new Error('the ledger is away')))
    const written = Promise.all([
      worker.learn(batches(1), async () => task('first')),
      worker.learn(batches(2), async () => task('second')),
    ])
    await expect(failing).rejects.toThrow('the ledger is away')
    expect(await written).toEqual([null, null])
  } finally {
    await worker.close()
  }
  const web = await readLearned(directory, 'second')
  if ('trouble' in web) throw new Error(web.trouble)
  expect(web.sites).toHaveLength(BATCHES * BATCH)
  expect(new Set(web.sites.map(({ pages }) => pages))).toEqual(new Set([2]))
  expect(readdirSync(join(directory, 'learned')).sort()).toEqual(['manifest.json', 'sites.gz'])
})
