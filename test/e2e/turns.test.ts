/** Who shares a turn, how much is asked in all, and that each of it can be changed while the crawl runs. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { urlsWith } from '../kit/crawled.js'
import { closerThan, type Host, NamedHosts, type Seen, sited } from '../kit/named-hosts.js'
import { orbweaver, start, temporary } from '../kit/orbweaver.js'

const pages = (log: readonly Seen[]) => log.filter(({ path }) => path !== '/robots.txt')
const seconds = (log: readonly Seen[]) => (log[log.length - 1].startMs - log[0].startMs) / 1000

describe.concurrent('turns and rates', { timeout: 300_000 }, () => {
  let web: NamedHosts
  beforeAll(async () => {
    web = await NamedHosts.start()
  })
  afterAll(() => web.close())

  const crawl = (out: string, ...args: string[]) => ['crawl', ...args, ...web.flags, '--out', out]
  const done = async (...args: string[]) => {
    const out = temporary('crawl')
    const end = await orbweaver(crawl(out, ...args))
    expect(end.code, end.stderr).toBe(0)
    return out
  }

  it('hosts of one domain never within the delay, hosts of two domains side by side', async () => {
    const seeds = ['www.pair.test', 'api.pair.test', 'lone.test'].map(host => web.set(host, sited(6)))
    await done(...seeds, '--delay', '200')
    const pair = web.of('www.pair.test', 'api.pair.test')
    expect(pages(pair)).toHaveLength(14)
    expect(closerThan(200, pair)).toEqual([])
    expect(closerThan(200, web.of('lone.test'))).toEqual([])
    expect(closerThan(200, web.of('www.pair.test', 'api.pair.test', 'lone.test'))).not.toEqual([])
  })

  it('--group none: the hosts of a domain do not wait for each other', async () => {
    const seeds = ['www.none.test', 'api.none.test'].map(host => web.set(host, sited(6)))
    await done(...seeds, '--delay', '200', '--group', 'none')
    for (const host of ['www.none.test', 'api.none.test']) expect(closerThan(200, web.of(host))).toEqual([])
    expect(closerThan(200, web.of('www.none.test', 'api.none.test'))).not.toEqual([])
  })

  it('--group ip: hosts of one address never within the delay, and only then', async () => {
    const shared = ['one-a.test', 'two-a.test'].map(host => web.set(host, sited(6)))
    const apart = ['one-b.test', 'two-b.test'].map(host => web.set(host, sited(6)))
    await Promise.all([
      done(...shared, '--delay', '200', '--group', 'ip'),
      done(...apart, '--delay', '200', '--group', 'domain'),
    ])
    expect(pages(web.of('one-a.test', 'two-a.test'))).toHaveLength(14)
    expect(closerThan(200, web.of('one-a.test', 'two-a.test'))).toEqual([])
    expect(closerThan(200, web.of('one-b.test', 'two-b.test'))).not.toEqual([])
  })

  it('the turn of a domain outlives kill -9: its other host waits too', async () => {
    const seeds = ['www.kill.test', 'api.kill.test'].map(host => web.set(host, sited(2)))
    const out = temporary('crawl')
    const first = start(crawl(out, ...seeds, '--delay', '2500'))
    while (web.of('www.kill.test', 'api.kill.test').length < 2)
      await new Promise(resolve => setTimeout(resolve, 5))
    first.process.kill('SIGKILL')
    await first.ended
    const second = start(['resume', out])
    while (web.of('www.kill.test', 'api.kill.test').length < 4)
      await new Promise(resolve => setTimeout(resolve, 5))
    second.process.kill('SIGKILL')
    await second.ended
    expect(closerThan(2_500, web.of('www.kill.test', 'api.kill.test'))).toEqual([])
  })

  it('a domain of many hosts takes one lane: a site behind all of them in S is done while they wait', async () => {
    const hosts = Array.from({ length: 400 }, (_, i) => `h${i}.many.test`)
    for (const host of hosts) web.set(host, sited(0))
    const last = web.set('behind.test', sited(20))
    const home = `${hosts.map(host => `<a href="http://${host}/">x</a>`).join('')}<a href="${last}">x</a>`
    const seed = web.set('front.test', (_request, response, path) => {
      if (path === '/robots.txt') return false
      response.writeHead(200, { 'content-type': 'text/html' }).end(home)
      return true
    })
    const out = temporary('crawl')
    const running = start(crawl(out, seed, '--delay', '100', '--lanes', '3'))
    await web.asked('behind.test', 21)
    expect(new Set(web.of(...hosts).map(({ host }) => host)).size).toBeLessThan(320)
    expect((await orbweaver(['stop', out])).code).toBe(0)
    expect((await running.ended).code).toBe(11)
    expect(closerThan(100, web.of(...hosts))).toEqual([])
  })

  it('a site that waits lends its lane: with one lane, the others go on', async () => {
    let busy = true
    const usual = sited(5)
    const waits = web.set('lends.test', (request, response, path) => {
      if (path === '/robots.txt' || path === '/' || !busy) return usual(request, response, path)
      response.writeHead(503, { 'retry-after': '25' }).end()
      return true
    })
    const seeds = [waits, ...['next1.test', 'next2.test'].map(host => web.set(host, sited(10)))]
    const out = temporary('crawl')
    const running = start(crawl(out, ...seeds, '--delay', '0', '--lanes', '1'))
    for (const host of ['next1.test', 'next2.test']) await web.asked(host, 11)
    busy = false
    expect(pages(web.of('lends.test'))).toHaveLength(2)
    const end = await running.ended
    expect(end.code, end.stderr).toBe(0)
    expect(await urlsWith(out, 'OK')).toHaveLength(28)
  })

  it('one connection per site, kept alive; more when asked for, while it runs', async () => {
    const seed = web.set('kept.test', sited(30))
    const used = () => new Set(web.of('slow-kept.test').map(({ connection }) => connection)).size
    // There is more to fetch until all three are in use, however long the command that asks for them takes.
    const slow = web.set('slow-kept.test', (_request, response, path) => {
      if (path === '/robots.txt') return false
      const enough = used() >= 3
      const number = Number(path.slice(1))
      const links = enough ? '' : [1, 2, 3].map(i => `<a href="/${3 * number + i}">x</a>`).join('')
      setTimeout(() => response.writeHead(200, { 'content-type': 'text/html' }).end(links), enough ? 0 : 100)
      return true
    })
    await done(seed, '--delay', '0')
    const kept = web.of('kept.test')
    expect(pages(kept)).toHaveLength(31)
    expect(new Set(kept.map(({ connection }) => connection)).size).toBe(1)

    const out = temporary('crawl')
    const running = start(crawl(out, slow, '--delay', '0'))
    await web.asked('slow-kept.test', 5)
    expect(used()).toBe(1)
    await orbweaver(['set', out, 'connectionsPerSite=3'])
    const end = await running.ended
    expect(end.code, end.stderr).toBe(0)
    expect(used()).toBe(3)
  })

  it('--rate is the rate of all sites together, and can be lifted while it runs', async () => {
    const hosts = ['r1.test', 'r2.test', 'r3.test']
    let goesOn = true
    const endless: Host = (_request, response, path) => {
      if (path === '/robots.txt') return false
      const number = Number(path.slice(1))
      const links = goesOn ? [1, 2].map(i => `<a href="/${2 * number + i}">x</a>`).join('') : ''
      response.writeHead(200, { 'content-type': 'text/html' }).end(links)
      return true
    }
    const seeds = hosts.map(host => web.set(host, endless))
    const out = temporary('crawl')
    // All its pages say the same: without this it would be asked for one that cannot exist.
    const running = start(crawl(out, ...seeds, '--delay', '0', '--rate', '10', '--traps', 'none'))
    while (pages(web.of(...hosts)).length < 40) await new Promise(resolve => setTimeout(resolve, 5))
    const slow = web.of(...hosts)
    // Ten; but this process may have been out of turn when the first came. Without a limit it is hundreds.
    expect(slow.length / seconds(slow)).toBeLessThan(40)
    const set = await orbweaver(['set', out, 'rate=0'])
    expect(set.code, set.stderr).toBe(0)
    const last = () =>
      web
        .of(...hosts)
        .slice(40)
        .slice(-40)
    while (last().length < 40 || last().length / seconds(last()) < 25)
      await new Promise(resolve => setTimeout(resolve, 20))
    goesOn = false
    const end = await running.ended
    expect(end.code, end.stderr).toBe(0)
    expect(await urlsWith(out, 'OK')).toHaveLength(pages(web.of(...hosts)).length)
  })

  it('what a robots.txt takes counts too: its redirects in --rate, its bytes in --bandwidth', async () => {
    const rules = `# ${'x'.repeat(100_000)}\n`
    const moving =
      (hops: number): Host =>
      (_request, response, path) => {
        const hop = path === '/robots.txt' ? 0 : Number(/^\/rules(\d)$/.exec(path)?.[1] ?? Number.NaN)
        if (Number.isNaN(hop)) return false
        if (hop < hops) response.writeHead(301, { location: `/rules${hop + 1}` }).end()
        else response.writeHead(200).end(rules)
        return true
      }
    const hopping = ['hop1.test', 'hop2.test', 'hop3.test']
    const heavy = ['heavy1.test', 'heavy2.test', 'heavy3.test', 'heavy4.test']
    await Promise.all([
      done(...hopping.map(host => web.set(host, moving(4))), '--delay', '0', '--rate', '5'),
      done(
        ...heavy.map(host => web.set(host, moving(0))),
        ...['--delay', '0', '--bandwidth', '100k', '--connections', '1'],
      ),
    ])
    // Seventeen turns of a fifth of a second; without the hops in it, five.
    const hops = web.of(...hopping)
    expect(hops).toHaveLength(18)
    expect(seconds(hops)).toBeGreaterThan(2)
    // Bytes are known once they have come: the pages pay for those of the rules.
    expect(seconds(web.of(...heavy))).toBeGreaterThan(2)
  })

  it('--bandwidth is that of all sites together, and can be lifted while it runs', async () => {
    const hosts = ['b1.test', 'b2.test']
    const seeds = hosts.map(host => web.set(host, sited(40, 50_000)))
    const out = temporary('crawl')
    const running = start(crawl(out, ...seeds, '--delay', '0', '--bandwidth', '500k'))
    while (pages(web.of(...hosts)).length < 30) await new Promise(resolve => setTimeout(resolve, 5))
    const slow = pages(web.of(...hosts))
    const bytesPerSecond = (slow.length * 50_000) / seconds(slow)
    expect(bytesPerSecond).toBeLessThan(3_000_000)
    const set = await orbweaver(['set', out, 'bandwidth=50M'])
    expect(set.code, set.stderr).toBe(0)
    const end = await running.ended
    expect(end.code, end.stderr).toBe(0)
    expect(await urlsWith(out, 'OK')).toHaveLength(82)
  })

  it('--delay can be lowered while a site waits, and raised again', async () => {
    let goesOn = true
    const seed = web.set('eased.test', (_request, response, path) => {
      if (path === '/robots.txt') return false
      const link = goesOn ? `<a href="/${Number(path.slice(1)) + 1}">next</a>` : ''
      response.writeHead(200, { 'content-type': 'text/html' }).end(link)
      return true
    })
    const out = temporary('crawl')
    const running = start(crawl(out, seed, '--delay', '3600000'))
    while (web.of('eased.test').length < 1) await new Promise(resolve => setTimeout(resolve, 5))
    expect((await orbweaver(['set', out, 'delay=20'])).code).toBe(0)
    await web.asked('eased.test', 5)
    expect((await orbweaver(['set', out, 'delay=500'])).code).toBe(0)
    const before = web.of('eased.test').length
    const last = () => web.of('eased.test').slice(before).slice(-4)
    while (last().length < 4 || closerThan(500, last()).length > 0)
      await new Promise(resolve => setTimeout(resolve, 50))
    goesOn = false
    const end = await running.ended
    expect(end.code, end.stderr).toBe(0)
  })

  it('set refuses in one line what cannot change while a crawl runs', async () => {
    const seed = web.set('refused.test', sited(1))
    const out = await done(seed, '--delay', '0')
    for (const pair of [
      'group=everybody',
      'maxWait=5',
      'bandwidth=lots',
      'delay=-1',
      'rate=fast',
      'maxCrawlDelay=x',
    ]) {
      const { code, stderr } = await orbweaver(['set', out, pair])
      expect(code, pair).toBe(4)
      expect(stderr.trim().split('\n'), pair).toHaveLength(1)
    }
  })
})
