import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, test } from 'vitest'
import { DnsServer } from '../../../test/kit/dns-server.js'
import { type Answer, RawServer } from '../../../test/kit/raw-server.js'
import { sampleExchange } from '../../../test/kit/store-samples.js'
import { systemClock } from '../../compose/index.js'
import { loadedZstd, loadZstd } from '../../model/bytes/index.js'
import { type Clock, LIMITS } from '../../model/index.js'
import { CachingResolver } from '../fetch/dns/index.js'
import { type Fetcher, type FetchRequest, HttpFetcher, type HttpFetcherOptions } from '../fetch/index.js'
import { type Qualification, qualify, type RobotsMode } from './qualify.js'
import type { RobotsTurns } from './robots-procedure.js'

const never = (): AbortSignal => new AbortController().signal
const closers: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

function fetcherWith(limits: HttpFetcherOptions['limits'] = {}, dns?: string): HttpFetcher {
  const clock = systemClock
  const resolver = new CachingResolver({ clock, ...(dns === undefined ? {} : { server: dns }) })
  const fetcher = new HttpFetcher({ clock, resolver, userAgent: 'test/1', allowPrivate: true, limits })
  closers.push(() => fetcher.close())
  return fetcher
}

async function serverSaying(answer: Answer | string, host = '127.0.0.1', port = 0): Promise<RawServer> {
  const server = await RawServer.start(answer, undefined, host, port)
  closers.push(() => server.close())
  return server
}

/** What the procedure waited for between its rounds; the waits themselves pass at once. */
let pauses: number[] = []
const hurried: Clock = {
  ...systemClock,
  after(delayMs, task) {
    if (delayMs > 2_000) return systemClock.after(delayMs, task)
    pauses.push(delayMs)
    return systemClock.after(0, task)
  },
}
const always: RobotsTurns = { before: () => true, after: () => {} }

async function look(
  origin: string,
  fetcher: Fetcher,
  mode: RobotsMode = 'strict',
  signal = never(),
): Promise<Qualification> {
  pauses = []
  const found = await qualify(origin, mode, { fetcher, clock: hurried, turns: always }, signal)
  if ('is' in found) throw new Error(found.is)
  return found
}

async function ask(
  answer: Answer | string,
  limits: HttpFetcherOptions['limits'] = {},
  mode: RobotsMode = 'strict',
): Promise<Qualification> {
  const server = await serverSaying(answer)
  return look(server.origin, fetcherWith(limits), mode)
}

const say = (status: number, body = '', headers = ''): string =>
  `HTTP/1.1 ${status} Said\r\n${headers}Content-Length: ${body.length}\r\n\r\n${body}`

/** `/robots.txt` redirects to `/1`, that to `/2`, and so on; the last one has the rules. */
const chain =
  (hops: number): Answer =>
  (socket, request) => {
    const at = Number(/^GET \/(\d+)/.exec(request)?.[1] ?? 0)
    socket.write(at < hops ? say(302, '', `Location: /${at + 1}\r\n`) : say(200, 'User-agent: *'))
  }

/** Status, verdict of the paper, verdict of RFC 9309, requests in `strict`. */
const STATUSES = [
  [200, 'rules', 'rules', 1],
  [204, 'rules', 'rules', 1],
  [299, 'rules', 'rules', 1],
  [300, 'unavailable', 'unavailable', 1],
  [301, 'unavailable', 'unavailable', 1],
  [304, 'unavailable', 'unavailable', 1],
  [400, 'allow-all', 'allow-all', 1],
  [401, 'unavailable', 'allow-all', 1],
  [403, 'unavailable', 'allow-all', 1],
  [404, 'allow-all', 'allow-all', 1],
  [407, 'unavailable', 'allow-all', 1],
  [410, 'allow-all', 'allow-all', 1],
  [418, 'unavailable', 'allow-all', 1],
  [429, 'unavailable', 'allow-all', 1],
  [451, 'unavailable', 'allow-all', 1],
  [499, 'unavailable', 'allow-all', 1],
  [500, 'unavailable', 'unavailable', 2],
  [503, 'unavailable', 'unavailable', 2],
  [599, 'unavailable', 'unavailable', 2],
  [999, 'unavailable', 'unavailable', 2],
] as const

describe('the status decides', () => {
  test.each(STATUSES)('%d: %s in strict, %s in rfc9309', async (status, strict, rfc9309, requests) => {
    const answer = status === 204 || status === 304 ? `HTTP/1.1 ${status} Said\r\n\r\n` : say(status)
    const found = await ask(answer)
    expect(found).toMatchObject({ verdict: strict, status })
    expect(found.detail).toContain(String(status))
    expect(found.exchanges).toHaveLength(requests)
    expect(found.exchanges[0]!.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/robots\.txt$/)
    const other = await ask(answer, {}, 'rfc9309')
    expect(other).toMatchObject({ verdict: rfc9309, status })
    expect(other.exchanges).toHaveLength(1)
  })

  test('a 4xx brings no rules, even when its page looks like some', async () => {
    const answer = await ask(say(404, 'User-agent: *\nDisallow: /'))
    expect(answer.body).toHaveLength(0)
  })
})

describe('the body', () => {
  test('is decoded', async () => {
    const gz = gzipSync('User-agent: *\nDisallow: /x').toString('latin1')
    const answer = await ask(socket => socket.write(say(200, gz, 'Content-Encoding: gzip\r\n'), 'latin1'))
    expect(Buffer.from(answer.body).toString()).toBe('User-agent: *\nDisallow: /x')
  })

  test('that is coded and ends early, though its framing is whole, is no permission', async () => {
    const gz = gzipSync(`User-agent: *\n${'Disallow: /x\n'.repeat(50)}`)
    const cut = gz.subarray(0, gz.length - 12).toString('latin1')
    const found = await ask(socket => socket.write(say(200, cut, 'Content-Encoding: gzip\r\n'), 'latin1'))
    expect(found).toMatchObject({ verdict: 'unavailable', status: 200 })
    expect(found.detail).toContain('cut short')
  })

  test('in zstd is decoded', async () => {
    await loadZstd()
    const packed = Buffer.from(loadedZstd()!.compress(Buffer.from('User-agent: *\nDisallow: /z'), 3))
    const answer = say(200, packed.toString('latin1'), 'Content-Encoding: zstd\r\n')
    const found = await ask(socket => socket.write(answer, 'latin1'))
    expect(Buffer.from(found.body).toString()).toBe('User-agent: *\nDisallow: /z')
  })

  test('is cut where we stop reading', async () => {
    const text = 'User-agent: *\n'.repeat(100_000)
    const answer = await ask(say(200, text))
    expect(answer.verdict).toBe('rules')
    expect(Buffer.from(answer.body).toString()).toBe(text.slice(0, LIMITS.robotsBytes + 1))
  })

  test.each([
    ['Content-Length: 100\r\n\r\nUser-agent: *'],
    ['Transfer-Encoding: chunked\r\n\r\nd\r\nUser-agent: *\r\n'],
    ['Transfer-Encoding: chunked\r\n\r\n20\r\nUser-agent: *'],
  ])('that ends before its framing says is no permission: %j', async rest => {
    for (const mode of ['strict', 'rfc9309'] as const) {
      const found = await ask(socket => socket.end(`HTTP/1.1 200 OK\r\n${rest}`), {}, mode)
      expect(found).toMatchObject({ verdict: 'unavailable', status: 200 })
      expect(found.detail).toContain('cut short')
      expect(found.exchanges).toHaveLength(1)
    }
  })

  test('that does not end in time is no permission', async () => {
    const found = await ask(socket => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nUser'), {
      fetchMs: 60,
    })
    expect(found).toMatchObject({ verdict: 'unavailable', status: 200 })
  })

  test('that ends with the connection, where nothing else was promised, is whole', async () => {
    const found = await ask(socket => socket.end('HTTP/1.1 200 OK\r\n\r\nUser-agent: *'))
    expect(found).toMatchObject({ verdict: 'rules', status: 200 })
  })

  test.each([
    ['broken gzip', 'Content-Encoding: gzip\r\n', '\x1f\x8b\x08\0\0\0\0\0\0\x03User-agent: *'],
    ['six codings', `Content-Encoding: ${'gzip, '.repeat(5)}br\r\n`, 'User-agent: *\nDisallow: /'],
    ['a picture', '', '\x89PNG\r\n\x1a\nUser-agent: *\nDisallow: /'],
    ['noise', '', '\x00\x01\x02\x03\x04\x05User-agent: *\nDisallow: /'],
  ])('of %s is a parse error: no rules', async (_, headers, body) => {
    const found = await ask(socket => socket.write(say(200, body, headers), 'latin1'))
    expect(found).toMatchObject({ verdict: 'allow-all', status: 200 })
    expect(found.body).toHaveLength(0)
  })

  test.each([
    ['a page', '<html><body>not found</body></html>'],
    ['plain text that says it is gzip', 'User-agent: *\nDisallow: /', 'Content-Encoding: gzip\r\n'],
    ['a stray NUL', 'User-agent: *\n\0\nDisallow: /secret and more text behind it'],
    ['latin-1', 'User-agent: *\nDisallow: /gr\xfcn'],
    ['UTF-16', '\xff\xfeU\0s\0e\0r\0'],
  ])('of %s is text', async (_, body, headers = '') => {
    const found = await ask(socket => socket.write(say(200, body, headers), 'latin1'))
    expect(found.verdict).toBe('rules')
  })
})

describe('redirects', () => {
  test('are followed five times', async () => {
    const answer = await ask(chain(5))
    expect(answer).toMatchObject({ verdict: 'rules', status: 200 })
    expect(answer.exchanges.map(exchange => exchange.status)).toEqual([302, 302, 302, 302, 302, 200])
  })

  test('are not followed a sixth time', async () => {
    const answer = await ask(chain(6))
    expect(answer).toMatchObject({ verdict: 'unavailable', status: 302 })
    expect(answer.detail).toContain('more than 5')
    expect(answer.exchanges).toHaveLength(6)
  })

  test('may lead to another host', async () => {
    const other = await serverSaying(say(200, 'User-agent: x'))
    const answer = await ask(say(308, '', `Location: ${other.origin}/rules\r\n`))
    expect(answer).toMatchObject({ verdict: 'rules', status: 200 })
    expect(other.requests[0]).toMatch(/^GET \/rules /)
  })

  test.each(['file:///etc/passwd', 'http://', 'javascript:1'])('to %s are not followed', async location => {
    const answer = await ask(say(302, '', `Location: ${location}\r\n`))
    expect(answer).toMatchObject({ verdict: 'unavailable', status: 302 })
  })
})

describe('no answer is no permission', () => {
  test('when the connection is refused: every address twice, two seconds between', async () => {
    const server = await RawServer.start('')
    await server.close()
    const found = await look(server.origin, fetcherWith())
    expect(found).toMatchObject({ verdict: 'unreachable', code: 'CONNECT_REFUSED', status: 0, exchanges: [] })
    expect(found.failedRounds).toBe(2)
    expect(found.problems).toHaveLength(2)
    expect(pauses).toEqual([2_000])
  })

  test('when the host has no address', async () => {
    const dns = await DnsServer.start(() => 'nxdomain')
    closers.push(() => dns.close())
    const found = await look('http://gone.test', fetcherWith({}, dns.address))
    expect(found).toMatchObject({ verdict: 'unreachable', code: 'DNS_NOT_FOUND', failedRounds: 1 })
    expect(pauses).toEqual([])
  })

  test('when the server is silent', async () => {
    const found = await ask(() => {}, { headersMs: 50 })
    expect(found).toMatchObject({ verdict: 'unavailable', code: 'ROBOTS_UNAVAILABLE', status: 0 })
    expect(found.detail).toContain('HEADERS_TOO_SLOW')
    expect(found.failedRounds).toBe(2)
  })

  test('when it is not HTTP', async () => {
    expect(await ask('User-agent: *\r\n\r\n')).toMatchObject({ verdict: 'unavailable', status: 0 })
  })

  test('and being told to stop is no failure', async () => {
    const parts = { fetcher: fetcherWith(), clock: hurried, turns: always }
    expect(await qualify('http://127.0.0.1:9', 'strict', parts, AbortSignal.abort())).toEqual({
      is: 'stopped',
    })
    const ending = new AbortController()
    const server = await serverSaying(() => ending.abort())
    expect(await qualify(server.origin, 'strict', parts, ending.signal)).toEqual({ is: 'stopped' })
  })

  test('and a request that we ourselves may not send says nothing of the site', async () => {
    const server = await serverSaying(say(200, 'User-agent: *'))
    let mayAsk = false
    // As an agent's does whose lease is nearly over.
    const plain = fetcherWith()
    const fetcher = {
      resolve: (host: string) => plain.resolve(host),
      setConnections: () => {},
      close: async () => {},
      fetch: (request: FetchRequest, signal: AbortSignal) =>
        plain.fetch({ ...request, mayBegin: () => mayAsk }, signal),
    }
    const parts = { fetcher, clock: hurried, turns: always, mayAsk: () => mayAsk }
    expect(await qualify(server.origin, 'strict', parts, never())).toEqual({ is: 'stopped' })
    mayAsk = true
    expect(await qualify(server.origin, 'strict', parts, never())).toMatchObject({ verdict: 'rules' })
  })

  test('a Retry-After of 429 and 503 is handed on', async () => {
    for (const status of [429, 503])
      expect((await ask(say(status, '', 'Retry-After: 120\r\n'))).retryAfterMs).toBe(120_000)
    expect((await ask(say(403, '', 'Retry-After: 120\r\n'))).retryAfterMs).toBe(null)
  })
})

/** Several servers, one port: the addresses of one host. */
async function hostOfSeveral(answers: readonly (Answer | string)[]): Promise<{
  readonly origin: string
  readonly servers: readonly RawServer[]
  readonly dns: string
}> {
  const addresses = answers.map((_, i) => `127.0.0.${i + 11}`)
  const servers: RawServer[] = []
  for (const [i, answer] of answers.entries())
    servers.push(await serverSaying(answer, addresses[i], servers[0]?.port ?? 0))
  const dns = await DnsServer.start(() => ({ addresses }))
  closers.push(() => dns.close())
  return { origin: `http://many.test:${servers[0]!.port}`, servers, dns: dns.address }
}

describe('all addresses of the host are tried in turn', () => {
  const RULES = say(200, 'User-agent: *\nDisallow: /x')
  const CUT = (socket: Parameters<Answer>[0]): void => void socket.destroy()

  test.each([
    ['the first answers', [RULES, RULES, RULES], 'rules', [1, 0, 0], 0],
    ['the first two fail', [CUT, say(500), RULES], 'rules', [1, 1, 1], 0],
    ['a 404 decides', [say(503), say(404), RULES], 'allow-all', [1, 1, 0], 0],
    ['a 403 decides', [say(503), say(403), RULES], 'unavailable', [1, 1, 0], 0],
    ['all fail, twice', [CUT, say(500), say(503)], 'unavailable', [2, 2, 2], 1],
  ] as const)('%s', async (_, answers, verdict, requests, waits) => {
    const host = await hostOfSeveral(answers)
    const found = await look(host.origin, fetcherWith({}, host.dns))
    expect(found.verdict).toBe(verdict)
    expect(host.servers.map(server => server.requests.length)).toEqual(requests)
    expect(pauses).toEqual(Array(waits).fill(2_000))
  })

  test('one that heals between the rounds counts', async () => {
    let asked = 0
    const healing: Answer = socket => socket.write(++asked === 1 ? say(502) : RULES)
    const host = await hostOfSeveral([healing, say(500)])
    const found = await look(host.origin, fetcherWith({}, host.dns))
    expect(found.verdict).toBe('rules')
    expect(host.servers.map(server => server.requests.length)).toEqual([2, 1])
    expect(found.problems).toEqual([
      expect.stringContaining('at 127.0.0.11: status 502'),
      expect.stringContaining('at 127.0.0.12: status 500'),
    ])
  })

  test('all of them twice, however many and silent: they share the time of the procedure', async () => {
    const host = await hostOfSeveral(Array<Answer>(12).fill(() => {}))
    const asked: string[] = []
    const turns: RobotsTurns = {
      before: url => {
        asked.push(url)
        return true
      },
      after: result => expect(result).toMatchObject({ ok: false, code: 'HEADERS_TOO_SLOW' }),
    }
    // A second passes in a millisecond.
    const fast: Clock = {
      ...systemClock,
      monotonic: () => systemClock.monotonic() * 1_000,
      after: (delayMs, task) => systemClock.after(delayMs / 1_000, task),
    }
    const parts = { fetcher: fetcherWith({}, host.dns), clock: fast, turns }
    const found = await qualify(host.origin, 'strict', parts, never())
    expect(found).toMatchObject({ verdict: 'unavailable', status: 0, failedRounds: 2 })
    expect(asked).toHaveLength(24)
  })

  test('a redirect that comes from the last of them is followed', async () => {
    const other = await serverSaying(RULES)
    const host = await hostOfSeveral([CUT, say(301, '', `Location: ${other.origin}/r\r\n`)])
    expect(await look(host.origin, fetcherWith({}, host.dns))).toMatchObject({ verdict: 'rules' })
  })
})

test('an answer that our own code throws at is no permission', async () => {
  const exchange = sampleExchange({ status: 200 })
  Object.defineProperty(exchange, 'truncated', {
    get: () => {
      throw new TypeError('no end')
    },
  })
  const fetcher: Fetcher = {
    fetch: async () => ({ ok: true, exchange }),
    resolve: async () => ['127.0.0.1'],
    setConnections: () => {},
    close: async () => {},
  }
  const found = await look('http://a.test', fetcher)
  expect(found).toMatchObject({ verdict: 'unavailable', code: 'ROBOTS_UNAVAILABLE', status: 200 })
  expect(found.detail).toContain('TypeError: no end')
  expect(found.problems.join()).toMatch(/TypeError: no end\n +at /)
})
