import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it } from 'vitest'

/**
 * A process of its own: the flags are for all of it. Lets much survive, as a crawl does, and says what V8
 * took for it.
 */
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

/** What a thread has that is started like an agent's, and one that is started like the others. */
const THREADS = `
import { Worker } from 'node:worker_threads'
const { boundHeap, keepHeapBounds, startWithYoung } = await import(process.env.BOUNDS)
boundHeap()
const code = \`
  const v8 = await import('node:v8')
  const { parentPort } = await import('node:worker_threads')
  const young = () => v8.getHeapSpaceStatistics().find(space => space.space_name === 'new_space').space_size
  let live = []
  for (let i = 0; i < 300_000; i++) {
    live.push({ a: i, b: 'x' + i })
    if (live.length > 40_000) live = live.slice(20_000)
  }
  parentPort.postMessage(young())\`
const youngOf = async (megabytes) => {
  const started = megabytes ? startWithYoung(megabytes) : () => {}
  const worker = new Worker(code, { eval: true, resourceLimits: { maxYoungGenerationSizeMb: 1.5 * (megabytes || 2) } })
  worker.once('online', () => { started(); keepHeapBounds() })
  return new Promise(resolve => worker.once('message', resolve))
}
console.log(JSON.stringify([await youngOf(8), await youngOf(0)]))
`

function youngBytes(bounded: boolean): number {
  return Number(run(SCRIPT, bounded))
}

function run(script: string, bounded: boolean): string {
  const tsx = pathToFileURL(join(process.cwd(), 'node_modules/tsx/dist/esm/index.mjs')).href
  const env = {
    ...process.env,
    BOUNDS: new URL('./heap-bounds.ts', import.meta.url).href,
    BOUNDED: bounded ? '1' : '',
    TSX_DISABLE_CACHE: '1',
  }
  const args = ['--import', tsx, '--input-type=module', '-e', script]
  return execFileSync(process.execPath, args, { env, encoding: 'utf8' })
}

it('the young generation stays small when threads start; left alone it would not', () => {
  expect(youngBytes(true)).toBeLessThanOrEqual(8 * 1024 * 1024)
  expect(youngBytes(false)).toBeGreaterThan(8 * 1024 * 1024)
})

it("a thread that is started with a young generation of some size has it, the others don't", () => {
  const [agent, other] = JSON.parse(run(THREADS, true)) as number[]
  expect(agent).toBeGreaterThan(4 * 1024 * 1024)
  expect(agent).toBeLessThanOrEqual(8 * 1024 * 1024)
  expect(other).toBeLessThanOrEqual(2 * 1024 * 1024)
})
