import { once } from 'node:events'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ManualClock } from '../../test/kit/manual-clock.js'
import { type Answer, arrived, dribble, RawServer, until } from '../../test/kit/raw-server.js'
import { systemClock } from '../compose/system.js'
import { CachingResolver } from './caching-resolver.js'
import type { FetchRequest, FetchResult } from './fetcher.js'
import { HttpFetcher, type HttpFetcherOptions } from './http-fetcher.js'

const closers: (() => Promise<void>)[] = []
let signal = new AbortController().signal

beforeEach(() => {
  signal = new AbortController().signal
})

afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

function fetcherWith(options: Partial<HttpFetcherOptions> = {}): HttpFetcher {
  const clock = options.clock ?? systemClock
  const fetcher = new HttpFetcher({
    clock,
    resolver: new CachingResolver({ clock }),
    userAgent: 'test/1',
    allowPrivate: true,
    ...options,
  })
  closers.push(() => fetcher.close())
  return fetcher
}

async function serverSaying(answer: Answer | string): Promise<RawServer> {
  const server = await RawServer.start(answer)
  closers.push(() => server.close())
  return server
}

/** One request to a server that says `answer`. */
async function ask(
  answer: Answer | string,
  request: Partial<FetchRequest> = {},
  options: Partial<HttpFetcherOptions> = {},
): Promise<FetchResult> {
  const server = await serverSaying(answer)
  return fetcherWith(options).fetch({ url: `${server.origin}/page?q=1`, ...request }, signal)
}

const ok = (body: string, headers = ''): string =>
  `HTTP/1.1 200 OK\r\n${headers}Content-Length: ${body.length}\r\n\r\n${body}`

describe('an exchange', () => {
  test('holds the exact bytes of both directions', async () => {
    const server = await serverSaying(ok('hello', 'Content-Type: text/html\r\nX-Odd:  a  \r\n'))
    const url = `${server.origin}/a/b?c=d`
    const result = await fetcherWith({ headers: { 'Accept-Language': 'en' } }).fetch({ url }, signal)
    if (!result.ok) throw new Error(result.detail)
    const { exchange } = result
    expect(exchange.requestHead.toString()).toBe(server.requests[0])
    expect(exchange.requestHead.toString().split('\r\n')).toEqual([
      'GET /a/b?c=d HTTP/1.1',
      `Host: 127.0.0.1:${server.port}`,
      'User-Agent: test/1',
      'Accept: text/html,application/xhtml+xml,*/*;q=0.8',
      'Accept-Language: en',
      'Accept-Encoding: gzip, deflate, br',
      '',
      '',
    ])
    expect(exchange.responseHead.toString()).toBe(
      'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nX-Odd:  a  \r\nContent-Length: 5\r\n\r\n',
    )
    expect(exchange).toMatchObject({ url, status: 200, remoteAddress: '127.0.0.1' })
    expect(exchange.body.toString()).toBe('hello')
    expect(exchange.body).toBe(exchange.rawBody)
    expect(exchange.header('x-odd')).toBe('a')
    expect(exchange.truncated).toBeUndefined()
    expect(exchange.startedAt).toBeGreaterThan(1_700_000_000_000)
  })

  test('of a chunked and compressed page has its three forms', async () => {
    const page = '<p>hello</p>'.repeat(100)
    const gz = gzipSync(page).toString('latin1')
    const raw = `5\r\n${gz.slice(0, 5)}\r\n${(gz.length - 5).toString(16)}\r\n${gz.slice(5)}\r\n0\r\n\r\n`
    const head = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n\r\n'
    const result = await ask(socket => socket.write(head + raw, 'latin1'))
    if (!result.ok) throw new Error(result.detail)
    expect(result.exchange.rawBody.toString('latin1')).toBe(raw)
    expect(result.exchange.payload.toString('latin1')).toBe(gz)
    expect(result.exchange.body.toString()).toBe(page)
  })

  test('arrives byte by byte just as well', async () => {
    const text = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n'
    const result = await ask(socket => void dribble(socket, text))
    expect(result.ok && result.exchange.body.toString()).toBe('abcde')
  })

  test('of a large body is whole', async () => {
    const body = Buffer.alloc(5_000_000, 'abcdefghij').toString('latin1')
    const known = await ask(ok(body))
    expect(known.ok && known.exchange.body.equals(Buffer.from(body))).toBe(true)
    const untilClose = await ask(socket => socket.end(`HTTP/1.1 200 OK\r\n\r\n${body}`))
    expect(untilClose.ok && untilClose.exchange.body.equals(Buffer.from(body))).toBe(true)
  })

  test('asks only for what has changed', async () => {
    const known = {
      etag: '"x1"',
      lastModified: 'Sat, 15 Nov 2025 20:00:00 GMT',
      digest: '',
      storedAt: '',
      links: [],
    }
    const server = await serverSaying('HTTP/1.1 304 Not Modified\r\nETag: "x1"\r\n\r\n')
    const result = await fetcherWith().fetch({ url: `${server.origin}/`, known }, signal)
    expect(server.requests[0]).toContain('\r\nIf-None-Match: "x1"\r\n')
    expect(server.requests[0]).toContain('\r\nIf-Modified-Since: Sat, 15 Nov 2025 20:00:00 GMT\r\n')
    expect(result.ok && result.exchange.status).toBe(304)
  })

  test('that repeats the known validators is not downloaded again (D7)', async () => {
    const known = { etag: 'W/"x1"', lastModified: '', digest: '', storedAt: '', links: [] }
    const result = await ask(ok('hello', 'ETag: "x1"\r\n'), { known })
    expect(result).toMatchObject({ ok: false, code: 'NOT_MODIFIED' })
    expect(!result.ok && result.exchange?.body.length).toBe(0)
    const other = await ask(ok('hello', 'ETag: "x2"\r\n'), { known })
    expect(other.ok && other.exchange.body.toString()).toBe('hello')
  })
})

describe('types that nobody asked for', () => {
  const types = ['text/html', 'image/']

  test('come without body, and the endless rest is not waited for', async () => {
    const endless: Answer = socket =>
      socket.write('HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\nContent-Length: 99999999\r\n\r\nabc')
    const result = await ask(endless, { types })
    expect(result).toMatchObject({ ok: false, code: 'TYPE_NOT_WANTED', detail: 'content type "video/mp4"' })
    expect(!result.ok && result.exchange).toMatchObject({ status: 200, truncated: 'length' })
    expect(!result.ok && result.exchange?.rawBody.length).toBe(0)
  })

  test.each([
    ['Content-Type: TEXT/HTML; charset=x\r\n', 200],
    ['Content-Type: image/png\r\n', 200],
    ['', 200],
    ['Content-Type: application/pdf\r\n', 404],
  ])('%j with status %i has its body', async (header, status) => {
    const result = await ask(`HTTP/1.1 ${status} X\r\n${header}Content-Length: 2\r\n\r\nok`, { types })
    expect(result.ok && result.exchange.body.toString()).toBe('ok')
  })
})

describe('failures are values', () => {
  test.each<[string, Answer | string, object]>([
    ['closed at once', socket => void socket.end(), { code: 'RESET' }],
    ['reset', socket => void socket.resetAndDestroy(), { code: 'RESET' }],
    ['closed inside the head', socket => void socket.end('HTTP/1.1 200 OK\r\nX: '), { code: 'RESET' }],
    ['not HTTP', '220 ftp\r\n', { code: 'BAD_RESPONSE' }],
    [
      'two lengths',
      'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
      { code: 'BAD_RESPONSE' },
    ],
    ['long headers', `HTTP/1.1 200 OK\r\nX: ${'y'.repeat(1_000_000)}`, { code: 'HEADERS_TOO_LARGE' }],
    ['10,000 headers', `HTTP/1.1 200 OK\r\n${'X: y\r\n'.repeat(10_000)}\r\n`, { code: 'HEADERS_TOO_LARGE' }],
    ['bad chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n', { code: 'BAD_RESPONSE' }],
    [
      'six encodings',
      ok('x', 'Content-Encoding: gzip, gzip, gzip, gzip, gzip, gzip\r\n'),
      { code: 'BAD_ENCODING', exchange: { status: 200 } },
    ],
    ['br that is none', ok('\xff'.repeat(50), 'Content-Encoding: br\r\n'), { code: 'BAD_ENCODING' }],
    [
      'short of its length',
      socket => void socket.end('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello'),
      { code: 'BODY_CUT', exchange: { status: 200, truncated: 'disconnect', body: Buffer.from('hello') } },
    ],
    [
      'missing last chunk',
      socket => void socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n'),
      { code: 'BODY_CUT', exchange: { truncated: 'disconnect', payload: Buffer.from('hello') } },
    ],
  ])('%s', async (_, answer, expected) => {
    expect(await ask(answer)).toMatchObject({ ok: false, ...expected })
  })

  test('a reset inside the body is a cut, also where close would end it', async () => {
    const result = await ask(socket => {
      socket.write('HTTP/1.1 200 OK\r\n\r\nhello', () => setTimeout(() => socket.resetAndDestroy(), 50))
    })
    expect(result).toMatchObject({ ok: false, code: 'BODY_CUT', exchange: { truncated: 'disconnect' } })
  })

  test('nobody listens', async () => {
    const server = await RawServer.start('')
    const url = `${server.origin}/`
    await server.close()
    const result = await fetcherWith().fetch({ url }, signal)
    expect(result).toEqual({ ok: false, code: 'CONNECT_REFUSED', detail: '127.0.0.1 refused the connection' })
  })

  test('a URL that is not normalised is a bug', async () => {
    await expect(fetcherWith().fetch({ url: 'http://127.0.0.1/a b' }, signal)).rejects.toThrow(TypeError)
  })
})

describe('bounds on size', () => {
  const limits = { bodyBytes: 100_000 }

  test.each<[string, Answer]>([
    [
      'length',
      socket => void socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 999999\r\n\r\n${'x'.repeat(200_000)}`),
    ],
    ['close', socket => void socket.write(`HTTP/1.1 200 OK\r\n\r\n${'x'.repeat(200_000)}`)],
  ])('an endless body (%s) is cut, and its connection closed', async (_, answer) => {
    const server = await serverSaying(answer)
    const fetcher = fetcherWith({ limits })
    const result = await fetcher.fetch({ url: `${server.origin}/` }, signal)
    expect(result).toMatchObject({ ok: true, exchange: { truncated: 'length' } })
    expect(result.ok && result.exchange.body.length).toBe(100_000)
    expect(fetcher.connections).toEqual({ open: 0, idle: 0 })
  })

  test('a bomb is cut after decoding', async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000)).toString('latin1')
    const result = await ask(ok(bomb, 'Content-Encoding: gzip\r\n'))
    expect(result.ok && result.exchange.body.length).toBe(32 * 1024 * 1024)
    expect(result.ok && result.exchange.truncated).toBe('length')
    expect(result.ok && result.exchange.rawBody.toString('latin1')).toBe(bomb)
  })

  test('a request may bring a smaller bound', async () => {
    const result = await ask(ok('hello world'), { bodyBytes: 5 })
    expect(result.ok && result.exchange.body.toString()).toBe('hello')
    expect(result.ok && result.exchange.truncated).toBe('length')
  })

  test('bodies in flight wait for memory, the oldest goes on, all arrive', async () => {
    const body = 'x'.repeat(3_000_000)
    const servers = await Promise.all(Array.from({ length: 8 }, () => serverSaying(ok(body))))
    const fetcher = fetcherWith({ limits: { bodyBytesInFlight: 2_000_000 } })
    const results = await Promise.all(
      servers.map(({ origin }) => fetcher.fetch({ url: `${origin}/` }, signal)),
    )
    for (const result of results) expect(result.ok && result.exchange.body.length).toBe(3_000_000)
  })

  test('a newer body is not read while an older one holds the memory', async () => {
    const body = 'x'.repeat(30_000_000)
    const half = 'HTTP/1.1 200 OK\r\nContent-Length: 600000\r\n\r\n'
    const old = await serverSaying(socket => void socket.write(half + 'x'.repeat(300_000)))
    const young = await serverSaying(ok(body))
    const fetcher = fetcherWith({ limits: { bodyBytesInFlight: 1_000_000 } })
    const first = fetcher.fetch({ url: `${old.origin}/` }, signal)
    await until(() => old.sockets[0]?.writableLength === 0)
    await new Promise(resolve => setTimeout(resolve, 50))
    await arrived()
    const second = fetcher.fetch({ url: `${young.origin}/` }, signal)
    let ended = false
    void second.then(() => {
      ended = true
    })
    await until(() => young.requests.length === 1)
    await new Promise(resolve => setTimeout(resolve, 500))
    expect(ended).toBe(false)
    expect(young.sockets[0].writableLength).toBeGreaterThan(0)
    old.sockets[0].write('x'.repeat(300_000))
    expect(await first).toMatchObject({ ok: true })
    const result = await second
    expect(result.ok && result.exchange.body.length).toBe(30_000_000)
  })
})

describe('deadlines', () => {
  /** Fetches with a clock that stands still, and lets `ms` pass once `seen` holds. */
  async function lateAfter(
    ms: number,
    answer: Answer,
    seen: (server: RawServer) => boolean,
  ): Promise<FetchResult> {
    const clock = new ManualClock()
    const server = await serverSaying(answer)
    const fetcher = fetcherWith({ clock })
    const pending = fetcher.fetch({ url: `${server.origin}/` }, signal)
    await until(() => seen(server))
    clock.advance(ms)
    const result = await pending
    await fetcher.close()
    expect(clock.pending).toBe(0)
    return result
  }
  const asked = (server: RawServer): boolean => server.requests.length > 0

  test('silence after the request', async () => {
    expect(await lateAfter(30_000, () => {}, asked)).toMatchObject({ ok: false, code: 'HEADERS_TOO_SLOW' })
  })

  test('half a head', async () => {
    const half: Answer = socket => void socket.write('HTTP/1.1 200 OK\r\nX-')
    expect(await lateAfter(30_000, half, asked)).toMatchObject({ ok: false, code: 'HEADERS_TOO_SLOW' })
  })

  test('a dribble does not pass: every byte comes in time, the whole does not', async () => {
    const clock = new ManualClock()
    const fetcher = fetcherWith({ clock })
    let socket: import('node:net').Socket | undefined
    const server = await serverSaying(asking => {
      socket = asking
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n')
    })
    let result: FetchResult | undefined
    void fetcher.fetch({ url: `${server.origin}/` }, signal).then(ended => {
      result = ended
    })
    await until(() => socket !== undefined)
    for (let second = 0; second <= 120 && result === undefined; second++) {
      socket?.write('x')
      await arrived()
      clock.advance(1_000)
    }
    await until(() => result !== undefined)
    expect(result).toMatchObject({
      ok: false,
      code: 'BODY_TOO_SLOW',
      exchange: { status: 200, truncated: 'time' },
    })
    expect(result?.ok === false && result.exchange?.body.length).toBeGreaterThan(100)
  })

  test('a slow body within the deadline is fine, on a reused connection too', async () => {
    const clock = new ManualClock()
    const fetcher = fetcherWith({ clock })
    const sockets: import('node:net').Socket[] = []
    const server = await serverSaying(socket => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\na')
      sockets.push(socket)
    })
    for (let i = 1; i <= 3; i++) {
      const pending = fetcher.fetch({ url: `${server.origin}/` }, signal)
      await until(() => sockets.length === i)
      await new Promise(resolve => setTimeout(resolve, 30))
      await arrived()
      clock.advance(100_000)
      sockets[i - 1].write('b')
      expect((await pending).ok).toBe(true)
    }
    expect(server.connections).toBe(1)
  })
})

describe('keep-alive', () => {
  test('consecutive URLs of a site share one connection', async () => {
    const server = await serverSaying(ok('x'))
    const fetcher = fetcherWith()
    for (let i = 0; i < 5; i++) {
      const result = await fetcher.fetch({ url: `${server.origin}/${i}` }, signal)
      if (!result.ok) throw new Error(result.detail)
      if (i === 0) expect(result.exchange.connectMs).toBeGreaterThan(0)
      else expect(result.exchange.connectMs).toBe(0)
    }
    expect(server.connections).toBe(1)
    expect(fetcher.connections).toEqual({ open: 1, idle: 1 })
  })

  test('a connection the server closed in between is replaced without a word', async () => {
    const server = await serverSaying((socket, request, connection) => {
      // The second request on a connection meets a closed door.
      if (request.startsWith('GET /0') || connection > 0) socket.write(ok('x'))
      else socket.resetAndDestroy()
    })
    const fetcher = fetcherWith()
    expect((await fetcher.fetch({ url: `${server.origin}/0` }, signal)).ok).toBe(true)
    expect((await fetcher.fetch({ url: `${server.origin}/1` }, signal)).ok).toBe(true)
    expect(server.requests.length).toBe(3)
    expect(server.connections).toBe(2)
  })

  test('a fresh connection that closes is not tried again', async () => {
    const server = await serverSaying(socket => void socket.end())
    expect(await fetcherWith().fetch({ url: `${server.origin}/` }, signal)).toMatchObject({ code: 'RESET' })
    expect(server.requests.length).toBe(1)
  })

  test('but only once', async () => {
    const server = await serverSaying((socket, request) => {
      if (request.startsWith('GET /0')) socket.write(ok('x'))
      else socket.end()
    })
    const fetcher = fetcherWith()
    await fetcher.fetch({ url: `${server.origin}/0` }, signal)
    expect(await fetcher.fetch({ url: `${server.origin}/1` }, signal)).toMatchObject({ code: 'RESET' })
    expect(server.requests.map(head => head.slice(0, 6))).toEqual(['GET /0', 'GET /1', 'GET /1'])
  })

  test('a response that began is never asked for again', async () => {
    const server = await serverSaying((socket, request) => {
      if (request.startsWith('GET /0')) socket.write(ok('x'))
      else socket.end('HTTP/1.1 2')
    })
    const fetcher = fetcherWith()
    await fetcher.fetch({ url: `${server.origin}/0` }, signal)
    expect(await fetcher.fetch({ url: `${server.origin}/1` }, signal)).toMatchObject({ code: 'RESET' })
    expect(server.requests.length).toBe(2)
  })

  test.each([
    ['Connection: close', ok('x', 'Connection: close\r\n')],
    ['more bytes than promised', `${ok('x')}y`],
  ])('%s: the next request has its own connection', async (_, answer) => {
    const server = await serverSaying(answer)
    const fetcher = fetcherWith()
    for (let i = 1; i <= 3; i++) {
      expect((await fetcher.fetch({ url: `${server.origin}/` }, signal)).ok).toBe(true)
      expect(server.connections).toBe(i)
    }
  })

  test('unasked bytes on an idle connection close it', async () => {
    const server = await serverSaying(ok('x'))
    const fetcher = fetcherWith()
    await fetcher.fetch({ url: `${server.origin}/` }, signal)
    server.sockets[0].write('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil')
    await until(() => fetcher.connections.open === 0)
    expect(await fetcher.fetch({ url: `${server.origin}/` }, signal)).toMatchObject({ ok: true })
    expect(server.connections).toBe(2)
  })

  test('idle connections are closed after a while', async () => {
    const clock = new ManualClock()
    const server = await serverSaying(ok('x'))
    const fetcher = fetcherWith({ clock })
    await fetcher.fetch({ url: `${server.origin}/` }, signal)
    clock.advance(19_999)
    expect(fetcher.connections.open).toBe(1)
    clock.advance(1)
    expect(fetcher.connections.open).toBe(0)
    await once(server.sockets[0], 'close')
  })
})

describe('bounds on connections', () => {
  test('one per site: requests follow each other in their order', async () => {
    const server = await serverSaying(socket => void setTimeout(() => socket.write(ok('x')), 5))
    const fetcher = fetcherWith()
    const order: number[] = []
    await Promise.all(
      [0, 1, 2, 3].map(i =>
        fetcher.fetch({ url: `${server.origin}/${i}` }, signal).then(() => order.push(i)),
      ),
    )
    expect(order).toEqual([0, 1, 2, 3])
    expect(server.connections).toBe(1)
  })

  test('more per site while running, fewer again', async () => {
    const held: import('node:net').Socket[] = []
    const server = await serverSaying(socket => void held.push(socket))
    const fetcher = fetcherWith()
    const all = [0, 1, 2, 3].map(i => fetcher.fetch({ url: `${server.origin}/${i}` }, signal))
    await until(() => held.length === 1)
    fetcher.setConnections(1000, 3)
    await until(() => held.length === 3)
    expect(fetcher.connections.open).toBe(3)
    fetcher.setConnections(1000, 1)
    for (let i = 0; i < 4; i++) {
      await until(() => held.length > i)
      held[i].write(ok('x'))
      await all[i]
    }
    expect(fetcher.connections).toEqual({ open: 1, idle: 1 })
  })

  test('the total holds over many sites, and idle ones make way', async () => {
    const servers = await Promise.all(Array.from({ length: 6 }, () => serverSaying(ok('x'))))
    const fetcher = fetcherWith({ connections: 2 })
    let most = 0
    await Promise.all(
      servers.map(async ({ origin }) => {
        const result = await fetcher.fetch({ url: `${origin}/` }, signal)
        most = Math.max(most, fetcher.connections.open)
        expect(result.ok).toBe(true)
      }),
    )
    expect(most).toBe(2)
    await fetcher.fetch({ url: `${servers[0].origin}/` }, signal)
    expect(fetcher.connections).toEqual({ open: 2, idle: 2 })
  })
})

describe('giving up', () => {
  test('one signal ends those that wait, dial and talk, and no others', async () => {
    const server = await serverSaying(() => {})
    const good = await serverSaying(ok('x'))
    const names = new CachingResolver({ clock: systemClock })
    const never = new Promise<never>(() => {})
    const resolver = { resolve: (host: string) => (host === 'slow.test' ? never : names.resolve(host)) }
    const fetcher = fetcherWith({ resolver })
    const controller = new AbortController()
    const all = [0, 1, 2].map(i => fetcher.fetch({ url: `${server.origin}/${i}` }, controller.signal))
    all.push(fetcher.fetch({ url: 'http://slow.test/' }, controller.signal))
    await until(() => server.requests.length === 1)
    const other = fetcher.fetch({ url: `${good.origin}/` }, signal)
    controller.abort()
    for (const result of await Promise.all(all)) expect(result).toMatchObject({ ok: false, code: 'RESET' })
    expect((await other).ok).toBe(true)
    await until(() => fetcher.connections.open === 1)
    expect(await fetcher.fetch({ url: `${good.origin}/` }, controller.signal)).toMatchObject({
      code: 'RESET',
    })
  })

  test('thousands of fetches leave one listener on their signal', async () => {
    const warnings: Error[] = []
    const listen = (warning: Error): void => void warnings.push(warning)
    process.on('warning', listen)
    const server = await serverSaying(ok('x'))
    const fetcher = fetcherWith()
    const controller = new AbortController()
    let listeners = 0
    const add = controller.signal.addEventListener.bind(controller.signal)
    controller.signal.addEventListener = (...args: Parameters<typeof add>) => {
      listeners++
      add(...args)
    }
    for (let i = 0; i < 100; i++) {
      const batch = Array.from({ length: 20 }, () =>
        fetcher.fetch({ url: `${server.origin}/` }, controller.signal),
      )
      expect((await Promise.all(batch)).every(result => result.ok)).toBe(true)
    }
    expect(listeners).toBe(1)
    expect(warnings).toEqual([])
    process.off('warning', listen)
  })

  test('close ends everything', async () => {
    const clock = new ManualClock()
    const idle = await serverSaying(ok('x'))
    const server = await serverSaying(() => {})
    const fetcher = fetcherWith({ clock })
    expect((await fetcher.fetch({ url: `${idle.origin}/` }, signal)).ok).toBe(true)
    const pending = [0, 1].map(i => fetcher.fetch({ url: `${server.origin}/${i}` }, signal))
    await until(() => server.requests.length === 1)
    await fetcher.close()
    for (const result of await Promise.all(pending)) expect(result).toMatchObject({ code: 'RESET' })
    expect(fetcher.connections).toEqual({ open: 0, idle: 0 })
    expect(clock.pending).toBe(0)
    expect(await fetcher.fetch({ url: `${server.origin}/` }, signal)).toMatchObject({ code: 'RESET' })
  })
})
