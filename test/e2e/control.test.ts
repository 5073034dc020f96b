import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../src/compose/index.js'
import { truth, WebPlan, WebServer } from '../../src/simulate/web/index.js'
import { urlsWith } from '../kit/crawled.js'
import { GENERATED, orbweaver, start, temporary } from '../kit/orbweaver.js'
import { linksOf } from '../kit/planned-links.js'

describe('controlling a crawl', () => {
  const plan = new WebPlan({ sites: 8, pages: 800, seed: 21 })
  let server: WebServer
  beforeAll(async () => {
    server = await WebServer.listen(plan, { clock: systemClock, port: 0, latencyMs: 5 })
  })
  afterAll(() => server.close())

  const requests = async (more: number) => {
    const goal = server.counts().requests + more
    while (server.counts().requests < goal) await new Promise(resolve => setTimeout(resolve, 10))
  }

  /** Resolves when `status` says it. */
  const said = async (out: string, what: string) => {
    for (;;) {
      const { stdout } = await orbweaver(['status', out])
      if (stdout.includes('running') && stdout.includes(what)) return
      await new Promise(resolve => setTimeout(resolve, 100))
    }
  }

  it('--max-pages stops at exactly that many, with its own exit code; set and resume go on to the end', {
    tags: 'deep',
  }, async () => {
    const out = temporary('crawl')
    const limited = await orbweaver([
      'crawl',
      server.seed,
      ...GENERATED,
      '--max-pages',
      '137',
      '--out',
      out,
      '--json',
    ])
    expect(limited.code, limited.stderr).toBe(10)
    expect(JSON.parse(limited.stdout)).toMatchObject({ pages: 137, finishReason: 'limit' })
    expect(await urlsWith(out, 'OK')).toHaveLength(137)
    expect((await orbweaver(['set', out, 'maxPages='])).code).toBe(0)
    const rest = await orbweaver(['resume', out])
    expect(rest.code, rest.stderr).toBe(0)
    expect((await urlsWith(out, 'OK')).sort()).toEqual([...truth(plan, server.authority)].sort())
  })

  it('status, checkpoint, pause and stop act on a running crawl; a second process is refused', async () => {
    const out = temporary('crawl')
    const running = start(['crawl', server.seed, ...GENERATED, '--rate', '10', '--out', out])
    await requests(20)
    expect((await orbweaver(['status', out])).stdout).toContain('running')
    const checkpoint = await orbweaver(['checkpoint', out])
    expect(checkpoint.code, checkpoint.stderr).toBe(0)
    expect((await urlsWith(out, 'OK')).length).toBeGreaterThan(0)
    const second = await orbweaver(['resume', out])
    expect(second.code).toBe(6)
    expect(second.stderr).toContain('in use by another orbweaver process')
    expect((await orbweaver(['set', out, 'rate=0', 'connectionsPerSite=3'])).code).toBe(0)
    expect((await orbweaver(['set', out, 'colour=red'])).code).toBe(4)
    expect((await orbweaver(['stop', out])).code).toBe(0)
    const end = await running.ended
    expect([0, 11]).toContain(end.code)
    expect((await orbweaver(['status', out])).stdout).not.toContain('running')
  })

  it('pause=true stops all requests and says so; pause=false goes on to the end; a paused crawl resumes paused', {
    tags: 'deep',
  }, async () => {
    const out = temporary('crawl')
    const running = start(['crawl', server.seed, ...GENERATED, '--rate', '2', '--out', out])
    await requests(8)
    expect((await orbweaver(['set', out, 'pause=maybe'])).code).toBe(4)
    const paused = await orbweaver(['set', out, 'pause=true'])
    expect(paused.code, paused.stderr).toBe(0)
    await said(out, 'paused (orbweaver set DIR pause=false goes on)')
    // Requests may have been under way when it took notice; those that wait for their turn now do not get it.
    const { requests: before } = server.counts()
    await new Promise(resolve => setTimeout(resolve, 3_000))
    expect(server.counts().requests).toBe(before)
    expect(running.process.exitCode).toBe(null)
    running.process.kill('SIGINT')
    expect((await running.ended).code).toBe(11)
    const resumed = start(['resume', out])
    await said(out, 'paused')
    expect(server.counts().requests).toBe(before)
    expect((await orbweaver(['set', out, 'pause=false', 'rate=0'])).code).toBe(0)
    const end = await resumed.ended
    expect(end.code, end.stderr).toBe(0)
    expect((await urlsWith(out, 'OK')).sort()).toEqual([...truth(plan, server.authority)].sort())
  })

  it('Ctrl-C once seals and stops with 11; resume ends with everything, nothing twice', {
    tags: 'deep',
  }, async () => {
    const out = temporary('crawl')
    const running = start(['crawl', server.seed, ...GENERATED, '--rate', '100', '--out', out])
    await requests(200)
    running.process.kill('SIGINT')
    const end = await running.ended
    expect(end.code, end.stderr).toBe(11)
    expect(end.stderr).toContain('orbweaver resume')
    const sealed = (await urlsWith(out, 'OK')).length
    expect(sealed).toBeGreaterThan(100)
    expect((await orbweaver(['set', out, 'rate=0'])).code).toBe(0)
    const rest = await orbweaver(['resume', out])
    expect(rest.code, rest.stderr).toBe(0)
    expect((await urlsWith(out, 'OK')).sort()).toEqual([...truth(plan, server.authority)].sort())
  })

  it('--max-depth follows exactly that many links', async () => {
    const out = temporary('crawl')
    const end = await orbweaver(['crawl', server.seed, ...GENERATED, '--max-depth', '1', '--out', out])
    expect(end.code, end.stderr).toBe(0)
    const stored = new Set(await urlsWith(out, 'OK'))
    const home = linksOf(plan, 0, 0, server.authority).map(link => link.url)
    expect(home.filter(url => stored.has(url)).length).toBeGreaterThan(10)
    expect(stored.size).toBeLessThanOrEqual(new Set(home).size + 1)
  })
})
