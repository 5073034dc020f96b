/** Certificates that prove nothing, and handshakes that never end. */
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer, type TlsOptions } from 'node:tls'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Certificate, makeCertificate } from '../kit/certificate.js'
import { temporary } from '../kit/orbweaver.js'
import { GRACE_MS, MB } from './family.js'
import { type Crawled, crawlHostile } from './hostile-crawl.js'
import { HostileWeb } from './hostile-web.js'

const DEADLINE_SECONDS = 6
const YEAR_MS = 365 * 86_400_000
const authority = makeCertificate({ name: 'Test Authority', authority: true })
const stranger = makeCertificate({ name: 'Strange Authority', authority: true })

const signed = (host: string, extra: Partial<Parameters<typeof makeCertificate>[0]> = {}): Certificate =>
  makeCertificate({ name: host, hosts: [host], issuer: authority, ...extra })

/** How each host greets; `null` never answers the handshake, a string is said instead of one. */
const HOSTS: Readonly<
  Record<string, { greeting: Certificate | string | null; code: string; detail: RegExp }>
> = {
  'expired.test': {
    greeting: signed('expired.test', {
      validFrom: new Date(Date.now() - 2 * YEAR_MS),
      validTo: new Date(Date.now() - YEAR_MS),
    }),
    code: 'TLS_FAILED',
    detail: /has expired/,
  },
  'early.test': {
    greeting: signed('early.test', {
      validFrom: new Date(Date.now() + YEAR_MS),
      validTo: new Date(Date.now() + 2 * YEAR_MS),
    }),
    code: 'TLS_FAILED',
    detail: /not valid yet/,
  },
  'wrong-host.test': { greeting: signed('other.test'), code: 'TLS_FAILED', detail: /for another host/ },
  'self-signed.test': {
    greeting: makeCertificate({ name: 'self-signed.test', hosts: ['self-signed.test'] }),
    code: 'TLS_FAILED',
    detail: /self-signed/,
  },
  'unknown-authority.test': {
    greeting: signed('unknown-authority.test', { issuer: stranger }),
    code: 'TLS_FAILED',
    detail: /authority/,
  },
  'plain-http.test': {
    greeting: 'HTTP/1.1 400 Bad Request\r\n\r\n',
    code: 'TLS_FAILED',
    detail: /does not speak TLS/,
  },
  'mute.test': { greeting: null, code: 'CONNECT_TIMEOUT', detail: /did not answer in time/ },
}

describe('a TLS server', () => {
  let crawled: Crawled
  const decent = signed('decent.test')

  beforeAll(async () => {
    const web = await HostileWeb.start(new Map(), [...Object.keys(HOSTS), 'decent.test'])
    const servers = await Promise.all([
      ...Object.entries(HOSTS).map(([host, { greeting }]) => greet(web, host, greeting)),
      greet(web, 'decent.test', decent),
    ])
    const roots = temporary('roots.pem')
    writeFileSync(roots, authority.cert)
    const hosts = [...Object.keys(HOSTS), 'decent.test']
    crawled = await crawlHostile(web, {
      seeds: hosts.map(host => `https://${host}/`),
      flags: [
        ...['--fetch-timeout', String(DEADLINE_SECONDS)],
        ...hosts.flatMap((host, i) => ['--resolve', `${host}=127.0.0.1:${portOf(servers[i])}`]),
      ],
      env: { NODE_EXTRA_CA_CERTS: roots },
    })
    for (const server of servers) server.close()
  }, 300_000)

  it.each(Object.entries(HOSTS))('%s fails, and the report says why', (host, { code, detail }) => {
    const url = `https://${host}/`
    expect(crawled.rows.get(url)?.outcome).toBe(code)
    expect(crawled.rows.get(url)?.fetchMs).toBeLessThan(DEADLINE_SECONDS * 1_000 + GRACE_MS)
    expect(crawled.report.outcomes[code]).toBeGreaterThan(0)
    expect(crawled.archived.has(url)).toBe(false)
    expect(crawled.report.troubledSites.find(({ site }) => site === host)?.detail).toMatch(detail)
    expect(crawled.events.some(event => event.startsWith(`asked ${host}`))).toBe(false)
  })

  it('a decent one is crawled', () => {
    expect(crawled.rows.get('https://decent.test/')?.outcome).toBe('OK')
    expect(crawled.archived.get('https://decent.test/')?.truncated).toBe('')
    expect(crawled.events).toContain('asked decent.test/robots.txt')
  })

  it('the good site was done first; the process lived, within its memory, and its archive verifies', () => {
    const good = crawled.events.indexOf('good done')
    for (const host of Object.keys(HOSTS)) {
      expect(crawled.events.indexOf(`connected ${host}`)).toBeLessThan(good)
      expect(crawled.events.indexOf(`gone ${host}`)).toBeGreaterThan(good)
    }
    expect(crawled.end.code, crawled.end.stderr).toBe(0)
    expect(crawled.warc.problems).toEqual([])
    expect(crawled.peakBytes).toBeLessThan(300 * MB)
  })
})

/** A port that accepts at once and answers when the good site is done. */
async function greet(web: HostileWeb, host: string, greeting: Certificate | string | null): Promise<Server> {
  const options: TlsOptions = typeof greeting === 'object' && greeting !== null ? greeting : {}
  const secure = createTlsServer({ cert: options.cert, key: options.key }, socket => web.serve(socket))
  secure.on('tlsClientError', () => {})
  const server = createServer((socket: Socket) => {
    web.events.push(`connected ${host}`)
    web.underWay(host)
    socket.on('error', () => {})
    socket.on('close', () => web.events.push(`gone ${host}`))
    void web.goodIsDone.then(() => {
      if (typeof greeting === 'object' && greeting !== null) secure.emit('connection', socket)
      else socket.resume()
      if (typeof greeting === 'string') socket.end(greeting)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port
}
