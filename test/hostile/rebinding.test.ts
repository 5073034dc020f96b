/**
 * Names that turn private in the middle of a crawl (DNS rebinding): the server at the allowed address answers
 * once, vanishes, and its name server then points at the user's own network. P10 at every kind of request.
 */
import { beforeAll, describe, expect, it } from 'vitest'
import { DnsServer } from '../kit/dns-server.js'
import { RawServer } from '../kit/raw-server.js'
import { MB } from './family.js'
import { type Crawled, crawlHostile } from './hostile-crawl.js'
import { HostileWeb } from './hostile-web.js'

/** No test can listen on a public address: this one of loopback is allowed, all others are private. */
const ALLOWED = '127.0.0.2'
const INSIDE = '127.0.0.1'

const reply = (body: string) =>
  `HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`
const redirect = (to: string) =>
  `HTTP/1.1 302 Found\r\nLocation: ${to}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`
const NO_ROBOTS = 'HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n'

/** What is the last thing each host answers, and what is asked for next. */
const HOSTS: Readonly<Record<string, { last: string; answer: string; next: string }>> = {
  'after-robots.example': { last: '/robots.txt', answer: NO_ROBOTS, next: '/' },
  'after-page.example': { last: '/', answer: reply('<a href="/next">next</a>'), next: '/next' },
  'after-redirect.example': { last: '/', answer: redirect('/moved'), next: '/moved' },
  'robots-elsewhere.example': { last: '/robots.txt', answer: redirect('/other.txt'), next: '/other.txt' },
}

async function crawlTurning(flags: readonly string[]) {
  const names = Object.keys(HOSTS)
  const web = await HostileWeb.start(new Map(), names)
  let hasTurned = false
  const outside = await RawServer.start(
    (socket, request) => {
      const [, target] = request.split(' ', 2)
      const host = /^host: *([^:\r]+)/im.exec(request)?.[1] ?? ''
      if (target !== HOSTS[host]?.last)
        return void socket.write(target === '/robots.txt' ? NO_ROBOTS : reply('page'))
      web.events.push(`asked ${host}`)
      web.underWay(host)
      void web.goodIsDone.then(() => {
        hasTurned = true
        outside.refuse()
        socket.write(HOSTS[host]!.answer)
      })
    },
    undefined,
    ALLOWED,
  )
  const inside = await RawServer.start(reply('<title>inside</title>'), undefined, INSIDE, outside.port)
  const dns = await DnsServer.start(() => ({ addresses: [hasTurned ? INSIDE : ALLOWED], ttl: 0 }))
  const crawled = await crawlHostile(web, {
    seeds: names.map(name => `http://${name}:${outside.port}/`),
    flags: [
      ...['--dns', dns.address, '--allow-network', `${ALLOWED}/32`, '--tries', '3'],
      ...['--robots-failures', '2', '--robots-retry', '6', ...flags],
    ],
  })
  await Promise.all([inside.close(), outside.close(), dns.close()])
  return { crawled, inside, port: outside.port, names }
}

describe.concurrent('a name that turns private', { timeout: 300_000 }, () => {
  let turned: Awaited<ReturnType<typeof crawlTurning>>
  let crawled: Crawled
  beforeAll(async () => {
    turned = await crawlTurning([])
    crawled = turned.crawled
  }, 300_000)

  it.each([
    ['after-robots.example', 'ADDRESS_FORBIDDEN'],
    ['after-page.example', 'ADDRESS_FORBIDDEN'],
    ['after-redirect.example', 'ADDRESS_FORBIDDEN'],
  ])('%s: what is asked next has the outcome %s', (host, outcome) => {
    const url = `http://${host}:${turned.port}${HOSTS[host]!.next}`
    expect(crawled.rows.get(url)?.outcome, crawled.end.stderr).toBe(outcome)
    expect(crawled.archived.has(url)).toBe(false)
  })

  it('robots-elsewhere.example: its robots.txt cannot be read, so it is not touched', () => {
    const url = `http://robots-elsewhere.example:${turned.port}/`
    expect(crawled.rows.get(url)?.outcome).toBe('ROBOTS_GIVEN_UP')
    expect(crawled.archived.has(url)).toBe(false)
  })

  it('nobody knocked inside; the good site was done first; the process lived, and its archive verifies', () => {
    expect(turned.inside.connections).toBe(0)
    for (const name of turned.names)
      expect(crawled.events.indexOf(`asked ${name}`), name).toBeLessThan(crawled.events.indexOf('good done'))
    expect(crawled.end.signal).toBeNull()
    expect(crawled.warc.problems).toEqual([])
    expect(crawled.peakBytes).toBeLessThan(300 * MB)
  })

  it('is followed when the user allows it: the names above do lead inside', async () => {
    const { inside, names } = await crawlTurning(['--allow-private'])
    const hosts = inside.requests.map(request => /^host: *([^:\r]+)/im.exec(request)?.[1])
    expect(hosts).toEqual(expect.arrayContaining(names))
  })
})
