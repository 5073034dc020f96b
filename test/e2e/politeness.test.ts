import { describe, expect, it } from 'vitest'
import { systemClock } from '../../src/compose/index.js'
import { type ServedRequest, truth, WebPlan, WebServer } from '../../src/simulate/web/index.js'
import { urlsWith } from '../kit/crawled.js'
import { orbweaver, start, temporary } from '../kit/orbweaver.js'

const DELAY_MS = 150
/** Longer than a process takes to start, so that only a remembered wait can keep to it. */
const LONG_DELAY_MS = 2_500
const FLAGS = [
  '--scope',
  'any',
  '--resolve',
  '*.test=127.0.0.1',
  '--delay',
  String(DELAY_MS),
  '--contact',
  'https://example.org/',
]

/** Pairs of requests to one site of which the second began less than the delay after the first. */
function tooClose(log: readonly ServedRequest[], delayMs: number): string[] {
  const found: string[] = []
  const last = new Map<string, ServedRequest>()
  for (const request of [...log].sort((a, b) => a.startMs - b.startMs)) {
    const before = last.get(request.site)
    if (before && request.startMs < before.startMs + delayMs)
      found.push(
        `${request.site}: ${request.target} ${Math.round(request.startMs - before.startMs)} ms after ${before.target}`,
      )
    last.set(request.site, request)
  }
  return found
}

describe('never two requests to a site within its delay (P5)', () => {
  it('holds in one run and across kill -9 and resume', async () => {
    const plan = new WebPlan({ sites: 6, pages: 90, seed: 3 })
    const log: ServedRequest[] = []
    const server = await WebServer.listen(plan, {
      clock: systemClock,
      port: 0,
      latencyMs: 5,
      onServed: served => log.push(served),
    })
    const out = temporary('crawl')
    const first = start(['crawl', server.seed, ...FLAGS, '--out', out])
    while (log.length < 40) await new Promise(resolve => setTimeout(resolve, 5))
    first.process.kill('SIGKILL')
    await first.ended
    const { code, stderr } = await orbweaver(['resume', out])
    await server.close()
    expect(code, stderr).toBe(0)
    expect((await urlsWith(out, 'OK')).sort()).toEqual([...truth(plan, server.authority)].sort())
    expect(tooClose(log, DELAY_MS)).toEqual([])
  })

  it('holds for a resume right after a kill, before anything of the last request was committed', async () => {
    const plan = new WebPlan({ sites: 1, pages: 3, seed: 8 })
    const log: ServedRequest[] = []
    const server = await WebServer.listen(plan, {
      clock: systemClock,
      port: 0,
      onServed: served => log.push(served),
    })
    const out = temporary('crawl')
    const flags = FLAGS.map(flag => (flag === String(DELAY_MS) ? String(LONG_DELAY_MS) : flag))
    const first = start(['crawl', server.seed, ...flags, '--out', out])
    while (log.length < 2) await new Promise(resolve => setTimeout(resolve, 5))
    first.process.kill('SIGKILL')
    await first.ended
    const second = start(['resume', out])
    while (log.length < 3) await new Promise(resolve => setTimeout(resolve, 5))
    second.process.kill('SIGKILL')
    await second.ended
    await server.close()
    expect(tooClose(log, LONG_DELAY_MS)).toEqual([])
  })
})
