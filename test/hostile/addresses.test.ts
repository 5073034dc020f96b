/**
 * P10 from end to end: a site that points at the user's own network in every way it knows, and a server there
 * that must not hear anything of it.
 */
import { describe, expect, it } from 'vitest'
import { urlsWith } from '../kit/crawled.js'
import { DnsServer } from '../kit/dns-server.js'
import { orbweaver, temporary } from '../kit/orbweaver.js'
import { RawServer } from '../kit/raw-server.js'

const reply = (body: string, type = 'text/html') =>
  `HTTP/1.1 200 OK\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n${body}`
const redirect = (to: string) => `HTTP/1.1 302 Found\r\nLocation: ${to}\r\nContent-Length: 0\r\n\r\n`

/** Ways to write this machine's address. */
const SPELLINGS = [
  '127.0.0.1',
  '127.1',
  '2130706433',
  '0x7f000001',
  '0x7f.1',
  '017700000001',
  '0',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '%31%32%37.0.0.1',
  '127。0。0。1',
  '①②⑦.0.0.1',
  'localhost',
  'LOCALHOST.',
  'sub.localhost',
  'inside.example',
]

async function crawl(flags: readonly string[], out = temporary('crawl')) {
  const inside = await RawServer.start(reply('<title>inside</title>'))
  const at = (host: string) => `http://${host}:${inside.port}`
  const dns = await DnsServer.start(name =>
    name === 'inside.example' ? { addresses: ['127.0.0.1'] } : 'nxdomain',
  )
  const outside = await RawServer.start((socket, request) => {
    const [, target] = request.split(' ', 2)
    const host = /^host: *([^:\r]+)/im.exec(request)?.[1]
    socket.write(answer(host ?? '', target), 'latin1')
  })
  const answer = (host: string, target: string): string => {
    if (host === 'robots-elsewhere.test')
      return target === '/robots.txt' ? redirect(`${at('127.0.0.1')}/robots.txt`) : reply('page')
    if (target === '/robots.txt')
      return reply(`User-agent: *\nDisallow:\nSitemap: ${at('127.0.0.1')}/sitemap.xml\n`, 'text/plain')
    if (target === '/redirect') return redirect(`${at('127.0.0.1')}/redirected`)
    const links = SPELLINGS.map((spelling, i) => `<a href="${at(spelling)}/link${i}">x</a>`)
    return reply(
      Buffer.from(`${links.join('')}<a href="/redirect">r</a><img src="${at('127.0.0.1')}/image">
      <iframe src="${at('127.0.0.1')}/frame"></iframe><link rel=canonical href="${at('127.0.0.1')}/canonical">
      <meta http-equiv=refresh content="0;url=${at('127.0.0.1')}/refresh">`).toString('latin1'),
    )
  }
  const end = await orbweaver([
    ...[
      'crawl',
      'http://outside.test/',
      'http://robots-elsewhere.test/',
      '--scope',
      'any',
      '--assets',
      '--delay',
      '0',
    ],
    ...['--tries', '1', '--fetch-timeout', '5', '--contact', 'https://example.org/', '--dns', dns.address],
    ...['--resolve', `*.test=127.0.0.1:${outside.port}`, '--out', out, ...flags],
  ])
  await Promise.all([inside.close(), outside.close(), dns.close()])
  const asked = inside.requests.map(request => request.split(' ', 2)[1])
  return { end, asked, connections: inside.connections, outside: outside.requests.length }
}

describe('a server on the user’s own network', () => {
  it('is not even connected to, whichever way a site points at it', async () => {
    const { end, connections, outside } = await crawl([])
    // Set aside is the site whose robots.txt is inside: it cannot be read, so the site is not touched.
    expect(end.code, end.stderr).toBe(12)
    expect(end.stderr).toContain('ADDRESS_FORBIDDEN')
    expect(outside).toBeGreaterThan(3)
    expect(connections).toBe(0)
  })

  it('is dropped at the first of its URLs, also where no robots.txt is asked for', async () => {
    const out = temporary('crawl')
    const { end, connections } = await crawl(['--robots', 'ignore'], out)
    expect(end.code, end.stderr).toBe(0)
    expect(connections).toBe(0)
    const hosts = (await urlsWith(out, 'ADDRESS_FORBIDDEN')).map(url => new URL(url).host)
    expect(hosts.length).toBeGreaterThan(3)
    expect(hosts).toEqual([...new Set(hosts)])
    expect((await urlsWith(out, 'SITE_DROPPED')).length).toBeGreaterThan(5)
  })

  it('is crawled when the user allows it: the ways above do lead there', async () => {
    const { end, asked } = await crawl(['--allow-private'])
    expect(end.code, end.stderr).toBe(0)
    expect(asked).toEqual(
      expect.arrayContaining([
        '/robots.txt',
        '/redirected',
        '/image',
        '/frame',
        '/canonical',
        '/refresh',
        '/link0',
        '/link15',
      ]),
    )
  })
})
