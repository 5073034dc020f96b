/** One request and what comes of it. */
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { ask, fetcherWith, ok, serverSaying, signal } from '../../../test/kit/fetching.js'
import { type Answer, dribble, RawServer } from '../../../test/kit/raw-server.js'

const MODIFIED = 'Sat, 15 Nov 2025 20:00:00 GMT'

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
      lastModified: MODIFIED,
      digest: '',
      storedAt: '',
      links: [],
    }
    const server = await serverSaying('HTTP/1.1 304 Not Modified\r\nETag: "x1"\r\n\r\n')
    const result = await fetcherWith().fetch({ url: `${server.origin}/`, known }, signal)
    expect(server.requests[0]).toContain('\r\nIf-None-Match: "x1"\r\n')
    expect(server.requests[0]).toContain(`\r\nIf-Modified-Since: ${MODIFIED}\r\n`)
    expect(result.ok && result.exchange.status).toBe(304)
  })

  test.each(['ETag: "x1"\r\n', `Last-Modified: ${MODIFIED}\r\n`])(
    'is read though it repeats the known validator %j: a 200 is a new representation',
    async header => {
      const known = { etag: '"x1"', lastModified: MODIFIED, digest: '', storedAt: '', links: [] }
      const result = await ask(ok('hello', header), { known })
      expect(result.ok && result.exchange.body.toString()).toBe('hello')
    },
  )
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

  test('a URL that is not normalised is a bug, of this request alone', async () => {
    const result = await fetcherWith().fetch({ url: 'http://127.0.0.1/a b' }, signal)
    expect(result).toMatchObject({ ok: false, code: 'INTERNAL_ERROR', error: expect.any(TypeError) })
  })
})

describe('an answer that our own code throws at', () => {
  test.each([
    ['in its head', 'types'],
    ['before it is sent', 'known'],
  ])('%s is the failure of its request alone, and the next gets a connection', async (_, field) => {
    const server = await serverSaying(ok('hello'))
    const fetcher = fetcherWith({ connections: 1 })
    const url = `${server.origin}/`
    const odd = Object.defineProperty({ url }, field, {
      get: () => {
        throw new RangeError('Invalid code point NaN')
      },
    })
    for (let i = 0; i < 3; i++) {
      const result = await fetcher.fetch(odd, signal)
      expect(result).toMatchObject({ ok: false, code: 'INTERNAL_ERROR', error: expect.any(RangeError) })
    }
    expect(await fetcher.fetch({ url }, signal)).toMatchObject({ ok: true })
    expect(fetcher.connections.open).toBe(1)
  })
})

describe('a request that may not begin any more', () => {
  test('is not written, and its connection serves the next', async () => {
    const server = await serverSaying(ok('hello'))
    const fetcher = fetcherWith()
    const url = `${server.origin}/`
    const late = await fetcher.fetch({ url, mayBegin: () => false }, signal)
    expect(late).toMatchObject({ ok: false, code: 'RESET' })
    const next = await fetcher.fetch({ url, mayBegin: () => true }, signal)
    expect(next.ok).toBe(true)
    expect(server.requests).toHaveLength(1)
    expect(server.connections).toBe(1)
  })

  test('is asked about when a connection is there, not when it is made', async () => {
    const server = await serverSaying(ok('hello'))
    let isHeld = true
    const asked = fetcherWith().fetch({ url: `${server.origin}/`, mayBegin: () => isHeld }, signal)
    isHeld = false
    expect(await asked).toMatchObject({ ok: false, code: 'RESET' })
    expect(server.requests).toEqual([])
  })
})
