/** Where a fetch connects to: guard, --resolve, several addresses, TLS. */
import type { TLSSocket } from 'node:tls'
import { afterEach, describe, expect, test } from 'vitest'
import { makeCertificate } from '../../../../test/kit/certificate.js'
import { DnsServer } from '../../../../test/kit/dns-server.js'
import { ManualClock } from '../../../../test/kit/manual-clock.js'
import { RawServer, until } from '../../../../test/kit/raw-server.js'
import { systemClock } from '../../../compose/index.js'
import { CachingResolver, type Endpoint, type Resolver, StaticHosts } from '../dns/index.js'
import { HttpFetcher, type HttpFetcherOptions } from '../index.js'

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'
const closers: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

async function started(...args: Parameters<typeof RawServer.start>): Promise<RawServer> {
  const server = await RawServer.start(...args)
  closers.push(() => server.close())
  return server
}

function hosts(...entries: string[]): StaticHosts {
  const parsed = StaticHosts.parse(entries)
  if (typeof parsed === 'string') throw new Error(parsed)
  return parsed
}

function fetcherWith(options: Partial<HttpFetcherOptions>, ...resolve: string[]): HttpFetcher {
  const clock = options.clock ?? systemClock
  const resolver = new CachingResolver({ clock, hosts: hosts(...resolve) })
  const fetcher = new HttpFetcher({ clock, resolver, userAgent: 'test/1', ...options })
  closers.push(() => fetcher.close())
  return fetcher
}

const get = (fetcher: HttpFetcher, url: string, address?: string) =>
  fetcher.fetch({ url, ...(address === undefined ? {} : { address }) }, new AbortController().signal)

describe('the address guard', () => {
  test.each(['http://127.0.0.1:1/', 'http://[::1]:1/', 'http://10.0.0.1/', 'http://169.254.169.254/latest/'])(
    '%s is not touched',
    async url => {
      expect(await get(fetcherWith({}), url)).toMatchObject({ ok: false, code: 'ADDRESS_FORBIDDEN' })
    },
  )

  test.each([0, 22, 25, 6667])('port %i of the web is not one', async port => {
    expect(await get(fetcherWith({}), `http://192.0.43.8:${port}/`)).toMatchObject({
      code: 'ADDRESS_FORBIDDEN',
      detail: `192.0.43.8: port ${port} is not one of the web`,
    })
  })

  test('port 0 does not stand for the usual one, even where every port is allowed', async () => {
    const opened = await get(fetcherWith({ allowPrivate: true }), 'http://127.0.0.1:0/')
    expect(opened).toMatchObject({ ok: false, code: expect.stringMatching(/^CONNECT_/) })
  })

  test('names host, address and reason', async () => {
    expect(await get(fetcherWith({}), 'http://localhost:1/')).toMatchObject({
      code: 'ADDRESS_FORBIDDEN',
      detail: 'localhost (127.0.0.1) is loopback',
    })
  })

  test('a name that turns private is caught at its next connection', async () => {
    const server = await started(OK)
    let turned = false
    const dns = await DnsServer.start(() => ({ addresses: [turned ? '127.0.0.1' : '8.8.8.8'], ttl: 0 }))
    closers.push(() => dns.close())
    const limits = { dnsTtlMinMs: 0 }
    const resolver = new CachingResolver({ clock: systemClock, server: dns.address, limits })
    const fetcher = fetcherWith({ resolver })
    expect(await fetcher.resolve('rebind.example')).toEqual(['8.8.8.8'])
    turned = true
    expect(await get(fetcher, `http://rebind.example:${server.port}/`)).toMatchObject({
      code: 'ADDRESS_FORBIDDEN',
      detail: 'rebind.example (127.0.0.1) is loopback',
    })
    expect(server.connections).toBe(0)
  })

  test('of mixed answers only the public ones are left', async () => {
    const dns = await DnsServer.start(() => ({ addresses: ['10.0.0.1', '8.8.8.8', '127.0.0.1', '1.1.1.1'] }))
    closers.push(() => dns.close())
    const resolver = new CachingResolver({ clock: systemClock, server: dns.address })
    expect(await fetcherWith({ resolver }).resolve('mixed.example')).toEqual(['8.8.8.8', '1.1.1.1'])
  })

  test('judges the connected address too', async () => {
    const server = await started(OK)
    // A resolver that calls an address public which the socket then finds to be loopback.
    const lying: Endpoint = {
      get address() {
        return reads++ === 0 ? '8.8.8.8' : '127.0.0.1'
      },
      trusted: false,
    }
    let reads = 0
    const resolver: Resolver = { resolve: async () => ({ ok: true, endpoints: [lying] }) }
    expect(await get(fetcherWith({ resolver }), `http://a.example:${server.port}/`)).toMatchObject({
      code: 'ADDRESS_FORBIDDEN',
      detail: 'a.example (127.0.0.1) is loopback',
    })
    expect(server.requests).toEqual([])
  })

  test('--resolve is the user’s own word, --allow-private opens all', async () => {
    const server = await started(OK)
    const named = fetcherWith({}, `*.test=127.0.0.1:${server.port}`)
    expect(await get(named, 'http://s1.test/')).toMatchObject({ ok: true })
    expect(server.requests[0]).toContain('\r\nHost: s1.test\r\n')
    expect(await get(named, `${server.origin}/`)).toMatchObject({ code: 'ADDRESS_FORBIDDEN' })
    expect(await get(fetcherWith({ allowPrivate: true }), `http://localhost:${server.port}/`)).toMatchObject({
      ok: true,
    })
  })
})

describe('several addresses', () => {
  test('the next is tried when one refuses', async () => {
    const server = await started(OK)
    const fetcher = fetcherWith({}, 'two.test=::1', 'two.test=127.0.0.1')
    const result = await get(fetcher, `http://two.test:${server.port}/`)
    expect(result.ok && result.exchange.remoteAddress).toBe('127.0.0.1')
    expect(await fetcher.resolve('two.test')).toEqual(['::1', '127.0.0.1'])
  })

  test('the failure told is that of the first', async () => {
    const server = await RawServer.start('')
    await server.close()
    const fetcher = fetcherWith({}, 'two.test=127.0.0.1', 'two.test=::1')
    expect(await get(fetcher, `http://two.test:${server.port}/`)).toMatchObject({
      code: 'CONNECT_REFUSED',
      detail: 'two.test (127.0.0.1) refused the connection',
    })
  })

  test('a pinned address is the only one tried, on a connection of its own', async () => {
    const server = await started(OK)
    const fetcher = fetcherWith({}, 'two.test=::1', 'two.test=127.0.0.1')
    const url = `http://two.test:${server.port}/robots.txt`
    expect(await get(fetcher, url, '::1')).toMatchObject({
      ok: false,
      code: expect.stringMatching(/^CONNECT_/),
    })
    expect(await get(fetcher, url, '127.0.0.1')).toMatchObject({ ok: true })
    expect(await get(fetcher, url, '127.0.0.1')).toMatchObject({ ok: true })
    expect(server.connections).toBe(1)
    expect(await get(fetcher, url, '127.0.0.2')).toMatchObject({ code: 'ADDRESS_FORBIDDEN' })
  })

  test('only those of the family we call from', async () => {
    const server = await started(OK)
    const fetcher = fetcherWith({ localAddress: '127.0.0.1' }, 'two.test=::1', 'two.test=127.0.0.1')
    expect(await get(fetcher, `http://two.test:${server.port}/`)).toMatchObject({ ok: true })
    expect(
      await get(fetcherWith({ localAddress: '127.0.0.1' }, 'six.test=::1'), 'http://six.test/'),
    ).toMatchObject({ code: 'CONNECT_FAILED', detail: 'six.test: no address to connect to from here' })
  })
})

describe('names', () => {
  test.each([
    ['nxdomain', 'DNS_NOT_FOUND', 'gone.example: ENOTFOUND'],
    ['servfail', 'DNS_FAILED', 'gone.example: ESERVFAIL'],
  ] as const)('%s is %s', async (answer, code, detail) => {
    const dns = await DnsServer.start(() => answer)
    closers.push(() => dns.close())
    const resolver = new CachingResolver({ clock: systemClock, server: dns.address })
    const fetcher = fetcherWith({ resolver })
    expect(await get(fetcher, 'http://gone.example/')).toEqual({ ok: false, code, detail })
    expect(await fetcher.resolve('gone.example')).toEqual([])
    expect(fetcher.connections.open).toBe(0)
  })
})

describe('TLS', () => {
  const authority = makeCertificate({ name: 'Test authority', authority: true })
  const issue = (options: Partial<Parameters<typeof makeCertificate>[0]>) =>
    makeCertificate({ name: 'leaf', hosts: ['secure.test', '127.0.0.1'], issuer: authority, ...options })

  async function fetchOver(certificate: { cert: string; key: string }, ca: string | undefined) {
    const server = await started(OK, { cert: certificate.cert, key: certificate.key })
    const fetcher = fetcherWith(ca === undefined ? {} : { ca }, 'secure.test=127.0.0.1')
    return { server, fetcher, result: await get(fetcher, `https://secure.test:${server.port}/`) }
  }

  test('a good certificate, keep-alive as without', async () => {
    const { server, fetcher, result } = await fetchOver(issue({}), authority.cert)
    expect(result).toMatchObject({ ok: true, exchange: { status: 200, remoteAddress: '127.0.0.1' } })
    expect(result.ok && result.exchange.body.toString()).toBe('ok')
    expect(result.ok && result.exchange.connectMs).toBeGreaterThan(0)
    expect(await get(fetcher, `https://secure.test:${server.port}/2`)).toMatchObject({ ok: true })
    expect(server.connections).toBe(1)
  })

  test('large bodies that wait for memory arrive whole', async () => {
    const body = Buffer.from(Array.from({ length: 5_000_000 }, (_, i) => (i * 31 + (i >> 8)) & 0xff))
    const { cert, key } = issue({})
    const servers = await Promise.all(
      [0, 1, 2, 3].map(() =>
        started(
          socket => {
            socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n`)
            socket.write(body)
          },
          { cert, key },
        ),
      ),
    )
    const limits = { bodyBytesInFlight: 1_000_000 }
    const fetcher = fetcherWith({ ca: authority.cert, limits }, 'secure.test=127.0.0.1')
    const results = await Promise.all(servers.map(({ port }) => get(fetcher, `https://secure.test:${port}/`)))
    for (const result of results) expect(result.ok && result.exchange.body.equals(body)).toBe(true)
  })

  test('an address is checked against the certificate too', async () => {
    const server = await started(OK, issue({}))
    const fetcher = fetcherWith({ ca: authority.cert, allowPrivate: true })
    expect(await get(fetcher, `https://127.0.0.1:${server.port}/`)).toMatchObject({ ok: true })
  })

  test.each([
    ['unknown authority', issue({}), undefined, 'incomplete or its authority unknown'],
    ['self-signed', makeCertificate({ name: 'self', hosts: ['secure.test'] }), undefined, 'self-signed'],
    ['expired', issue({ validTo: new Date(Date.now() - 1000) }), authority.cert, 'expired'],
    ['not yet valid', issue({ validFrom: new Date(Date.now() + 1e8) }), authority.cert, 'not valid yet'],
    ['another host', issue({ hosts: ['other.test'] }), authority.cert, 'for another host'],
  ])('%s is refused', async (_, certificate, ca, said) => {
    const { server, result } = await fetchOver(certificate, ca)
    expect(result).toMatchObject({ ok: false, code: 'TLS_FAILED', detail: expect.stringContaining(said) })
    expect(result.ok === false && result.detail.startsWith('secure.test: ')).toBe(true)
    expect(server.requests).toEqual([])
  })

  test('a bad certificate is not looked for at the other addresses', async () => {
    const server = await started(OK, makeCertificate({ name: 'self', hosts: ['two.test'] }))
    const fetcher = fetcherWith({}, 'two.test=127.0.0.1', 'two.test=127.0.0.1')
    let handshakes = 0
    server.onConnection(() => handshakes++)
    expect(await get(fetcher, `https://two.test:${server.port}/`)).toMatchObject({ code: 'TLS_FAILED' })
    expect(handshakes).toBe(1)
  })

  test('the server learns the name it is asked for; the next connection resumes the session', async () => {
    const seen: string[] = []
    const { cert, key } = issue({})
    const server = await started(
      socket => {
        const { servername, alpnProtocol } = socket as TLSSocket & { servername: string }
        seen.push(`${servername} ${alpnProtocol} ${(socket as TLSSocket).isSessionReused()}`)
        socket.write('HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok')
      },
      { cert, key, ALPNProtocols: ['http/1.1', 'h2'] },
    )
    const fetcher = fetcherWith({ ca: authority.cert }, 'secure.test=127.0.0.1')
    for (let i = 0; i < 2; i++) {
      expect(await get(fetcher, `https://secure.test:${server.port}/`)).toMatchObject({ ok: true })
    }
    expect(seen).toEqual(['secure.test http/1.1 false', 'secure.test http/1.1 true'])
  })

  test('a server that does not speak TLS', async () => {
    const server = await started(OK)
    server.sockets.length = 0
    const fetcher = fetcherWith({}, 'plain.test=127.0.0.1')
    const pending = get(fetcher, `https://plain.test:${server.port}/`)
    await until(() => server.connections === 1)
    server.sockets[0].write('HTTP/1.1 400 Bad Request\r\n\r\n')
    expect(await pending).toMatchObject({ ok: false, code: 'TLS_FAILED' })
  })

  test('silence in the handshake ends by the connect deadline', async () => {
    const clock = new ManualClock()
    const server = await started(() => {})
    const fetcher = fetcherWith({ clock }, 'mute.test=127.0.0.1')
    const pending = get(fetcher, `https://mute.test:${server.port}/`)
    await until(() => server.connections === 1)
    clock.advance(15_000)
    expect(await pending).toMatchObject({
      code: 'CONNECT_TIMEOUT',
      detail: expect.stringContaining('mute.test'),
    })
    await fetcher.close()
    expect(clock.pending).toBe(0)
  })

  test('http and https of one site share its one place', async () => {
    const certificate = issue({})
    const plain = await started(OK)
    const secure = await started(OK, { cert: certificate.cert, key: certificate.key })
    const resolver: Resolver = {
      resolve: async () => ({
        ok: true,
        endpoints: [{ address: '127.0.0.1', port: ports.shift() ?? 0, trusted: true }],
      }),
    }
    const ports = [plain.port, secure.port, plain.port]
    const fetcher = fetcherWith({ resolver, ca: authority.cert })
    expect(await get(fetcher, 'http://secure.test/')).toMatchObject({ ok: true })
    expect(await get(fetcher, 'https://secure.test/')).toMatchObject({ ok: true })
    expect(fetcher.connections.open).toBe(1)
    expect(await get(fetcher, 'http://secure.test/')).toMatchObject({ ok: true })
    expect(fetcher.connections.open).toBe(1)
  })
})
