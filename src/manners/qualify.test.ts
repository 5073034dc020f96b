import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, test } from 'vitest'
import { type Answer, RawServer } from '../../test/kit/raw-server.js'
import { systemClock } from '../compose/system.js'
import { CachingResolver, HttpFetcher, type HttpFetcherOptions } from '../fetch/index.js'
import { LIMITS } from '../model/limits.js'
import { type Qualification, qualify } from './qualify.js'

const never = (): AbortSignal => new AbortController().signal
const closers: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

function fetcherWith(limits: HttpFetcherOptions['limits'] = {}): HttpFetcher {
  const clock = systemClock
  const resolver = new CachingResolver({ clock })
  const fetcher = new HttpFetcher({ clock, resolver, userAgent: 'test/1', allowPrivate: true, limits })
  closers.push(() => fetcher.close())
  return fetcher
}

async function serverSaying(answer: Answer | string): Promise<RawServer> {
  const server = await RawServer.start(answer)
  closers.push(() => server.close())
  return server
}

async function ask(
  answer: Answer | string,
  limits: HttpFetcherOptions['limits'] = {},
): Promise<Qualification> {
  const server = await serverSaying(answer)
  return qualify(server.origin, fetcherWith(limits), never())
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

describe('the status decides', () => {
  test.each([
    [200, 'rules'],
    [204, 'rules'],
    [400, 'allow-all'],
    [401, 'allow-all'],
    [403, 'allow-all'],
    [404, 'allow-all'],
    [410, 'allow-all'],
    [429, 'unavailable'],
    [500, 'unavailable'],
    [503, 'unavailable'],
    [599, 'unavailable'],
    [300, 'unavailable'],
    [304, 'unavailable'],
    [301, 'unavailable'],
  ] as const)('%d: %s', async (status, verdict) => {
    const answer = await ask(
      status === 204 || status === 304 ? `HTTP/1.1 ${status} Said\r\n\r\n` : say(status),
    )
    expect(answer).toMatchObject({ verdict, status })
    expect(answer.detail).toContain(String(status))
    expect(answer.exchanges).toHaveLength(1)
    expect(answer.exchanges[0]!.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/robots\.txt$/)
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

  test('is cut where we stop reading', async () => {
    const text = 'User-agent: *\n'.repeat(100_000)
    const answer = await ask(say(200, text))
    expect(answer.verdict).toBe('rules')
    expect(Buffer.from(answer.body).toString()).toBe(text.slice(0, LIMITS.robotsBytes))
  })

  test('that ends too early is no permission', async () => {
    const answer = await ask(socket =>
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nUser-agent: *'),
    )
    expect(answer).toMatchObject({ verdict: 'unavailable', status: 200 })
    expect(answer.detail).toContain('BODY_CUT')
    expect(answer.exchanges).toHaveLength(1)
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
  test('when the connection is refused', async () => {
    const server = await RawServer.start('')
    await server.close()
    const answer = await qualify(server.origin, fetcherWith(), never())
    expect(answer).toMatchObject({ verdict: 'unavailable', status: 0, exchanges: [] })
    expect(answer.detail).toMatch(/^robots\.txt could not be read: [^\n]*CONNECT_REFUSED/)
  })

  test('when the server is silent', async () => {
    const answer = await ask(() => {}, { headersMs: 50 })
    expect(answer).toMatchObject({ verdict: 'unavailable', status: 0 })
    expect(answer.detail).toContain('HEADERS_TOO_SLOW')
  })

  test('when it is not HTTP', async () => {
    expect(await ask('User-agent: *\r\n\r\n')).toMatchObject({ verdict: 'unavailable', status: 0 })
  })

  test('when we were told to stop', async () => {
    const answer = await qualify('http://127.0.0.1:9', fetcherWith(), AbortSignal.abort())
    expect(answer).toMatchObject({ verdict: 'unavailable', exchanges: [] })
  })
})
