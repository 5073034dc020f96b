import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it } from 'vitest'

/** A process of its own: the flags are for all of it. Lets much survive, as a crawl does, and says what V8 took for it. */
const SCRIPT = `
import { Worker } from 'node:worker_threads'
import { getHeapSpaceStatistics } from 'node:v8'
const { boundHeap, keepHeapBounds } = await import(process.env.BOUNDS)
if (process.env.BOUNDED) boundHeap()
const worker = new Worker('setTimeout(() => {}, 10)', { eval: true })
await new Promise(resolve => worker.once('online', resolve))
keepHeapBounds()
const young = () => getHeapSpaceStatistics().find(space => space.space_name === 'new_space').space_size
let live = []
let most = 0
for (let i = 0; i < 1_500_000; i++) {
  live.push({ a: i, b: 'x' + i })
  if (live.length > 40_000) live = live.slice(20_000)
  if (i % 10_000 === 0) most = Math.max(most, young())
}
console.log(most)
`

function youngBytes(bounded: boolean): number {
  const tsx = pathToFileURL(join(process.cwd(), 'node_modules/tsx/dist/esm/index.mjs')).href
  const env = {
    ...process.env,
    BOUNDS: new URL('./heap-bounds.ts', import.meta.url).href,
    BOUNDED: bounded ? '1' : '',
    TSX_DISABLE_CACHE: '1',
  }
  const args = ['--import', tsx, '--input-type=module', '-e', SCRIPT]
  return Number(execFileSync(process.execPath, args, { env, encoding: 'utf8' }))
}

it('the young generation stays small when threads start; left alone it would not', () => {
  expect(youngBytes(true)).toBeLessThanOrEqual(8 * 1024 * 1024)
  expect(youngBytes(false)).toBeGreaterThan(8 * 1024 * 1024)
})
