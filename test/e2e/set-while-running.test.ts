/**
 * What `orbweaver set` changes in a crawl that runs: who shares a turn, connections in all, the cap of
 * Crawl-delay.
 *
 * @module-tag deep
 */
import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { urlsWith } from '../kit/crawled.js'
import { closerThan, type Host, NamedHosts, type Seen, sited } from '../kit/named-hosts.js'
import { orbweaver, start, temporary } from '../kit/orbweaver.js'

const DELAY_MS = 300
const html = (response: ServerResponse, body: string) =>
  response.writeHead(200, { 'content-type': 'text/html' }).end(body)
const until = async (condition: () => boolean) => {
  while (!condition()) await new Promise(resolve => setTimeout(resolve, 10))
}

describe.concurrent('set while it runs', { timeout: 300_000 }, () => {
  let web: NamedHosts
  beforeAll(async () => {
    web = await NamedHosts.start()
  })
  afterAll(() => web.close())

  const crawl = (out: string, ...args: string[]) => ['crawl', ...args, ...web.flags, '--out', out]
  const set = async (out: string, ...pairs: string[]) => {
    const { code, stderr } = await orbweaver(['set', out, ...pairs])
    expect(code, stderr).toBe(0)
  }

  /** Page after page until told to end. */
  const endless =
    (goesOn: () => boolean): Host =>
    (_request, response, path) => {
      if (path === '/robots.txt') return false
      html(response, goesOn() ? `<a href="/${Number(path.slice(1)) + 1}">next</a>` : 'the end')
      return true
    }

  /** Pairs within the delay among the last requests to these hosts. */
  const lately = (hosts: readonly string[], count: number): string[] | null => {
    const last: Seen[] = web.of(...hosts).slice(-count)
    return last.length < count ? null : closerThan(DELAY_MS, last)
  }

  it.each([
    ['domain', 'none', 'domain', ['www.shared.test', 'api.shared.test']],
    ['none', 'domain', 'none', ['www.alone.test', 'api.alone.test']],
    ['domain', 'ip', 'none', ['one-ip.test', 'two-ip.test']],
  ])('group: %s, then %s, then %s', async (first, second, third, hosts) => {
    let isOver = false
    const seeds = hosts.map(host =>
      web.set(
        host,
        endless(() => !isOver),
      ),
    )
    const out = temporary('crawl')
    const running = start(crawl(out, ...seeds, '--delay', String(DELAY_MS), '--group', first))
    const shares = (group: string) => group === 'ip' || (group === 'domain' && hosts[0].startsWith('www'))
    for (const [i, group] of [first, second, third].entries()) {
      if (i > 0) await set(out, `group=${group}`)
      const before = web.of(...hosts).length
      await until(() => {
        const close = web.of(...hosts).length - before < 8 ? null : lately(hosts, 8)
        return close !== null && (close.length === 0) === shares(group)
      })
    }
    isOver = true
    const end = await running.ended
    expect(end.code, end.stderr).toBe(0)
    for (const host of hosts) expect(closerThan(DELAY_MS, web.of(host))).toEqual([])
  })

  it('connections: one for all sites together, then four', async () => {
    let open = 0
    let most = 0
    let isOver = false
    const slow: Host = (_request, response, path) => {
      if (path === '/robots.txt') return false
      most = Math.max(most, ++open)
      setTimeout(() => {
        open--
        html(response, isOver ? 'the end' : `<a href="/${Number(path.slice(1)) + 1}">next</a>`)
      }, 50)
      return true
    }
    const hosts = ['c1.test', 'c2.test', 'c3.test', 'c4.test']
    const seeds = hosts.map(host => web.set(host, slow))
    const out = temporary('crawl')
    const running = start(crawl(out, ...seeds, '--delay', '0', '--connections', '1'))
    for (const host of hosts) await web.asked(host, 3)
    expect(most).toBe(1)
    await set(out, 'connections=4')
    await until(() => most > 1)
    await until(() => most === 4)
    isOver = true
    const end = await running.ended
    expect(end.code, end.stderr).toBe(0)
    expect(most).toBe(4)
  })

  it('maxCrawlDelay: what is left of a site beyond the new cap is skipped; raised, the next one is crawled', async () => {
    let release: () => void = () => {}
    const held = new Promise<void>(resolve => {
      release = resolve
    })
    const wants =
      (seconds: number, usual: Host): Host =>
      (request, response, path) => {
        if (path !== '/robots.txt') return usual(request, response, path)
        response.writeHead(200).end(`User-agent: *\nCrawl-delay: ${seconds}`)
        return true
      }
    const patient = web.set('patient.test', wants(1, sited(500)))
    web.set('later.test', wants(2, sited(1)))
    const holder = web.set('holder.test', (_request, response, path) => {
      if (path === '/robots.txt') return false
      void held.then(() => html(response, '<a href="http://later.test/">later</a>'))
      return true
    })
    const out = temporary('crawl')
    const running = start(crawl(out, patient, holder, '--delay', '0', '--max-crawl-delay', '1'))
    await web.asked('patient.test', 2)
    await set(out, 'maxCrawlDelay=0.5')
    let outcomes = ''
    while (!outcomes.includes('CRAWL_DELAY_TOO_LONG')) outcomes = (await orbweaver(['status', out])).stdout
    await set(out, 'maxCrawlDelay=5')
    // Settings are read with the heartbeat, once a second.
    await new Promise(resolve => setTimeout(resolve, 2_500))
    release()
    const end = await running.ended
    expect(end.code, end.stderr).toBe(0)
    expect((await urlsWith(out, 'OK')).filter(url => url.includes('later'))).toHaveLength(2)
    expect((await urlsWith(out, 'CRAWL_DELAY_TOO_LONG')).length).toBeGreaterThan(400)
    expect(closerThan(1_990, web.of('later.test'))).toEqual([])
  })
})
