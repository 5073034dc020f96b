import { describe, expect, it } from 'vitest'
import { systemClock } from '../../src/compose/index.js'
import type { Report } from '../../src/report/index.js'
import { type ServedRequest, truth, WebPlan, WebServer } from '../../src/simulate/web/index.js'
import { urlsWith } from '../kit/crawled.js'
import { GENERATED, orbweaver, start, temporary } from '../kit/orbweaver.js'

async function serve(pages: number, latencyMs = 0): Promise<{ server: WebServer; log: ServedRequest[] }> {
  const log: ServedRequest[] = []
  const server = await WebServer.listen(new WebPlan({ sites: 20, pages, seed: 5 }), {
    clock: systemClock,
    port: 0,
    latencyMs,
    onServed: request => log.push(request),
  })
  return { server, log }
}

const SOURCES = ['127.0.0.21', '127.0.0.22', '127.0.0.23']
const THREE = ['--agents', '3', ...SOURCES.flatMap(address => ['--source-address', address])]

describe('--agents 3', () => {
  it("brings every page once; each agent does its part, from its own address, and a site is one's at a time", async () => {
    const { server, log } = await serve(1_200)
    const out = temporary('crawl')
    const end = await orbweaver(['crawl', server.seed, ...GENERATED, ...THREE, '--out', out, '--json'])
    const expected = [...truth(server.plan, server.authority)].sort()
    await server.close()
    expect(end.code, end.stderr).toBe(0)
    const report = JSON.parse(end.stdout) as Report
    expect(report).toMatchObject({ finishReason: 'done', overlap: 0 })
    expect(report.agents.map(({ name }) => name)).toEqual(['agent-1', 'agent-2', 'agent-3'])
    for (const { pages } of report.agents) expect(pages).toBeGreaterThan(0)
    expect((await urlsWith(out, 'OK')).sort()).toEqual(expected)
    expect(new Set(log.map(({ from }) => from))).toEqual(new Set(SOURCES))
    const last = new Map<string, ServedRequest>()
    for (const request of [...log].sort((a, b) => a.startMs - b.startMs)) {
      const before = last.get(request.site)
      if (before && before.from !== request.from) expect(request.startMs).toBeGreaterThanOrEqual(before.endMs)
      last.set(request.site, request)
    }
  })

  it('together meet --max-pages exactly, and go on to the end when it is lifted', async () => {
    const { server } = await serve(1_000)
    const out = temporary('crawl')
    const first = await orbweaver([
      'crawl',
      server.seed,
      ...GENERATED,
      ...THREE,
      '--max-pages',
      '301',
      '--out',
      out,
      '--json',
    ])
    expect(first.code, first.stderr).toBe(10)
    expect(JSON.parse(first.stdout)).toMatchObject({ finishReason: 'limit', pages: 301, uniquePages: 301 })
    await orbweaver(['set', out, 'maxPages='])
    const second = await orbweaver(['resume', out, '--json'])
    expect(second.code, second.stderr).toBe(0)
    const expected = [...truth(server.plan, server.authority)].sort()
    await server.close()
    expect((await urlsWith(out, 'OK')).sort()).toEqual(expected)
  })

  it('obey checkpoint, pause and stop; resume ends with everything', { tags: 'deep' }, async () => {
    const { server } = await serve(1_000, 30)
    const out = temporary('crawl')
    const crawl = start(['crawl', server.seed, ...GENERATED, ...THREE, '--delay', '20', '--out', out])
    while (server.counts().requests < 60) await new Promise(resolve => setTimeout(resolve, 20))
    expect((await orbweaver(['checkpoint', out])).stderr).toMatch(/checkpoint done: [1-9]/)
    await orbweaver(['set', out, 'pause=true'])
    // Each has heard of it with its next heartbeat; what was under way then comes to its end.
    let asked = -1
    for (let quiet = 0; quiet < 8; quiet = server.counts().requests === asked ? quiet + 1 : 0) {
      asked = server.counts().requests
      await new Promise(resolve => setTimeout(resolve, 250))
    }
    await orbweaver(['set', out, 'pause=false'])
    while (server.counts().requests < asked + 20) await new Promise(resolve => setTimeout(resolve, 20))
    await orbweaver(['stop', out])
    expect((await crawl.ended).code, crawl.said()).toBe(11)
    const end = await orbweaver(['resume', out])
    const expected = [...truth(server.plan, server.authority)].sort()
    await server.close()
    expect(end.code, end.stderr).toBe(0)
    expect((await urlsWith(out, 'OK')).sort()).toEqual(expected)
  })
})
