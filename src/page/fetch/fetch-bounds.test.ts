/** However much comes, and however slowly. */
import type { Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { ask, fetcherWith, ok, serverSaying, signal } from '../../../test/kit/fetching.js'
import { ManualClock } from '../../../test/kit/manual-clock.js'
import { type Answer, arrived, type RawServer, until } from '../../../test/kit/raw-server.js'
import type { FetchResult } from './fetcher.js'

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

describe('a body that the caller holds', () => {
  const bounds = { limits: { bodyBytesInFlight: 1_000_000 } }

  test('keeps others from being read until it is settled', async () => {
    const [held, other] = await Promise.all([0, 1].map(() => serverSaying(ok('x'.repeat(3_000_000)))))
    const fetcher = fetcherWith(bounds)
    const first = await fetcher.fetch({ url: `${held.origin}/`, holdsBody: true }, signal)
    let isHere = false
    const second = fetcher.fetch({ url: `${other.origin}/` }, signal).then(result => {
      isHere = true
      return result
    })
    // The second of the two is the oldest that is still read, but not the oldest that there is.
    await until(() => other.requests.length === 1)
    await new Promise(resolve => setTimeout(resolve, 300))
    expect(isHere).toBe(false)
    first.exchange?.settled?.()
    const result = await second
    expect(result.ok && result.exchange.body.length).toBe(3_000_000)
  })

  test('keeps others from being decoded, however small they came', async () => {
    const bomb = gzipSync(Buffer.alloc(3_000_000)).toString('latin1')
    const gzip = 'Content-Encoding: gzip\r\n'
    const [held, other] = await Promise.all([0, 1].map(() => serverSaying(ok(bomb, gzip))))
    const fetcher = fetcherWith(bounds)
    const first = await fetcher.fetch({ url: `${held.origin}/`, holdsBody: true }, signal)
    let isHere = false
    const second = fetcher.fetch({ url: `${other.origin}/` }, signal).then(result => {
      isHere = true
      return result
    })
    await until(() => other.requests.length === 1)
    await new Promise(resolve => setTimeout(resolve, 300))
    expect(isHere).toBe(false)
    first.exchange?.settled?.()
    const result = await second
    expect(result.ok && result.exchange.body.length).toBe(3_000_000)
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
    let socket: Socket | undefined
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
    const sockets: Socket[] = []
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
