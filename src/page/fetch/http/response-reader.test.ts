import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type FetchLimits, fetchLimits } from '../../../model/index.js'
import { BodyBudget } from '../body/index.js'
import { ResponseReader } from './response-reader.js'

interface Read {
  readonly at: string
  readonly status: number | undefined
  readonly head: string
  readonly raw: string
  readonly payload: string
  readonly persistent: boolean
  readonly code: string | undefined
}

/**
 * Feeds `text` in pieces of the given sizes (the last size repeats), through one buffer that is overwritten
 * each time.
 */
function read(
  text: string,
  options: { pieces?: number[]; end?: boolean; limits?: Partial<FetchLimits>; wants?: boolean } = {},
): Read {
  const limits = fetchLimits(options.limits)
  const wantsBody = () => options.wants ?? true
  const reader = new ResponseReader(limits, new BodyBudget(1e9), { wantsBody }, limits.bodyBytes)
  const bytes = Buffer.from(text, 'latin1')
  const pieces = options.pieces ?? [bytes.length]
  const inbox = Buffer.alloc(bytes.length)
  let at = 0
  for (let i = 0; at < bytes.length && (reader.at === 'head' || reader.at === 'body'); i++) {
    const size = Math.min(pieces[Math.min(i, pieces.length - 1)], bytes.length - at)
    bytes.copy(inbox, 0, at, at + size)
    reader.feed(inbox, size)
    inbox.fill(0x3f)
    at += size
    if (reader.at === 'body') expect(reader.ready(() => {})).toBe(true)
  }
  if (at < bytes.length) reader.persistent = false
  if (options.end) reader.close()
  const raw = reader.rawBody()
  return {
    at: reader.at,
    status: reader.head?.status,
    head: reader.headBytes.toString('latin1'),
    raw: raw.toString('latin1'),
    payload: reader.payloadOf(raw).toString('latin1'),
    persistent: reader.persistent,
    code: reader.failure?.code,
  }
}

const CHUNKED = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'

describe('framing', () => {
  test('Content-Length', () => {
    const head = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n'
    expect(read(`${head}hello`)).toEqual({
      at: 'complete',
      status: 200,
      head,
      raw: 'hello',
      payload: 'hello',
      persistent: true,
      code: undefined,
    })
  })

  test.each([1, 2, 7, 100])('empty lines before it are passed over, in pieces of %i', size => {
    const answer = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello'
    const got = read(`\r\n\n\r\n${answer}`, { pieces: [size] })
    expect(got).toMatchObject({ at: 'complete', raw: 'hello', head: answer.slice(0, -5) })
    expect(read('\r\n'.repeat(50) + answer, { pieces: [size] }).at).toBe('failed')
  })

  test('Content-Length not reached is not complete', () => {
    expect(read('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello', { end: true }).at).toBe('body')
  })

  test('bytes past the response cost the connection, not the response', () => {
    const got = read('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello!')
    expect(got).toMatchObject({ at: 'complete', raw: 'hello', persistent: false })
    expect(read('HTTP/1.1 204 No\r\n\r\nx')).toMatchObject({ at: 'complete', raw: '', persistent: false })
    expect(read(`${CHUNKED}0\r\n\r\nx`)).toMatchObject({ at: 'complete', payload: '', persistent: false })
  })

  test.each(['5, 5', '5\r\nContent-Length: 5', '5\r\ncontent-length:5,5'])(
    'equal lengths agree: %j',
    value => {
      expect(read(`HTTP/1.1 200 OK\r\nContent-Length: ${value}\r\n\r\nhello`).raw).toBe('hello')
    },
  )

  test.each([
    '-1',
    '5x',
    '0x5',
    '+5',
    '5.0',
    '',
    '5, 6',
    '5\r\nContent-Length: 4',
    '99999999999999999999',
    '1e3',
  ])('a length of %j is refused', value => {
    const got = read(`HTTP/1.1 200 OK\r\nContent-Length: ${value}\r\n\r\nhello`)
    expect(got).toMatchObject({ at: 'failed', code: 'BAD_RESPONSE' })
  })

  test('chunks, with extensions and trailers', () => {
    const raw = '5;name=value\r\nhello\r\n6 \r\n world\r\n0\r\nExpires: never\r\nX: y\r\n\r\n'
    expect(read(CHUNKED + raw)).toMatchObject({
      at: 'complete',
      raw,
      payload: 'hello world',
      persistent: true,
    })
  })

  test('chunks win over a length, and the connection is not kept', () => {
    const got = read(
      `HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n`,
    )
    expect(got).toMatchObject({ at: 'complete', payload: 'hello', persistent: false })
  })

  test('chunk lines may end in a bare LF, sizes may be upper case and padded', () => {
    const text = `${CHUNKED}00A\n0123456789\n0\n\n`
    expect(read(text)).toMatchObject({ at: 'complete', payload: '0123456789' })
  })

  test('one chunk is a view of the raw body', () => {
    const reader = new ResponseReader(fetchLimits(), new BodyBudget(1e9), { wantsBody: () => true }, 1000)
    const bytes = Buffer.from(`${CHUNKED}5\r\nhello\r\n0\r\n\r\n`)
    reader.feed(bytes, bytes.length)
    const raw = reader.rawBody()
    expect(reader.payloadOf(raw).buffer).toBe(raw.buffer)
    expect(reader.payloadOf(raw).toString()).toBe('hello')
  })

  test.each([
    ['g\r\n', 'not hex'],
    ['-5\r\nhello', 'negative'],
    ['\r\nhello', 'missing'],
    ['5\r\nhelloX\r\n', 'longer than said'],
    ['5\r\nhello\r\rX', 'two carriage returns'],
    ['fffffffffffffffff\r\n', 'beyond counting'],
    [`5;${'x'.repeat(5000)}`, 'an endless extension'],
    [`0\r\n${'X: y\r\n'.repeat(20_000)}`, 'endless trailers'],
  ])('bad chunks are refused: %j (%s)', raw => {
    expect(read(CHUNKED + raw)).toMatchObject({ at: 'failed', code: 'BAD_RESPONSE' })
  })

  test('missing last chunk is not complete; the payload that came is there', () => {
    expect(read(`${CHUNKED}5\r\nhello\r\n6\r\n wor`, { end: true })).toMatchObject({
      at: 'body',
      payload: 'hello wor',
    })
  })

  test('until close', () => {
    const text = 'HTTP/1.0 200 OK\r\n\r\nhello'
    expect(read(text)).toMatchObject({ at: 'body' })
    expect(read(text, { end: true })).toMatchObject({ at: 'complete', raw: 'hello', persistent: false })
    expect(read('HTTP/1.1 200 OK\r\n\r\n', { end: true })).toMatchObject({ at: 'complete', raw: '' })
  })

  test('204 and 304 have no body, whatever they say', () => {
    expect(read('HTTP/1.1 304 Not Modified\r\nContent-Length: 100\r\n\r\n')).toMatchObject({
      at: 'complete',
      persistent: true,
    })
    expect(read('HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n').at).toBe('complete')
  })

  test('interim responses are skipped, but not for ever', () => {
    const interim = 'HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n'
    const text = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'
    expect(read(`HTTP/1.1 100 Continue\r\n\r\n${interim}${text}`)).toMatchObject({ status: 200, raw: 'ok' })
    expect(read(interim.repeat(9) + text)).toMatchObject({ at: 'failed', code: 'BAD_RESPONSE' })
    expect(read('HTTP/1.1 101 Switching Protocols\r\n\r\n')).toMatchObject({ code: 'BAD_RESPONSE' })
  })
})

describe('the connection is kept', () => {
  test.each([
    ['HTTP/1.1', '', true],
    ['HTTP/1.1', 'Connection: close\r\n', false],
    ['HTTP/1.1', 'Connection: Keep-Alive, Close\r\n', false],
    ['HTTP/1.0', '', false],
    ['HTTP/1.0', 'connection: keep-alive\r\n', true],
  ])('%s with %j: %s', (version, header, kept) => {
    expect(read(`${version} 200 OK\r\n${header}Content-Length: 2\r\n\r\nok`).persistent).toBe(kept)
  })
})

describe('heads', () => {
  const headerOf = (lines: string, name: string): string | undefined => {
    const reader = new ResponseReader(fetchLimits(), new BodyBudget(1e9), { wantsBody: () => true }, 1000)
    const bytes = Buffer.from(`HTTP/1.1 200 OK\r\n${lines}\r\n\r\n`, 'latin1')
    reader.feed(bytes, bytes.length)
    return reader.head?.header(name)
  }

  test('header names in any case, values trimmed, the first of several', () => {
    expect(headerOf('CONTENT-TYPE:  text/html \r\nContent-Type: other', 'content-type')).toBe('text/html')
    expect(headerOf('X-A : 1', 'x-a')).toBe('1')
    expect(headerOf('X-A:', 'x-a')).toBe('')
    expect(headerOf('X-AB: 1', 'x-a')).toBeUndefined()
    expect(headerOf('Location: http://a:80/b:c', 'location')).toBe('http://a:80/b:c')
  })

  test('folded lines are one value', () => {
    expect(headerOf('X-A: one\r\n  two\r\n\tthree\r\nX-B: 4', 'x-a')).toBe('one two three')
    expect(headerOf('X-A: one\r\n  two\r\nX-B: 4', 'x-b')).toBe('4')
  })

  test('lines without a colon are passed over', () => {
    expect(headerOf('what is this\r\n: nameless\r\nX-A: 1', 'x-a')).toBe('1')
  })

  test('lines may end in a bare LF', () => {
    expect(read('HTTP/1.1 200 OK\nContent-Length: 2\n\nok')).toMatchObject({ at: 'complete', raw: 'ok' })
  })

  test.each(['HTTP/1.1 200', 'HTTP/1.1  200 OK', 'HTTP/1.0 999 Odd', 'HTTP/1.1 200 '])(
    '%j is a status line',
    line => {
      expect(read(`${line}\r\nContent-Length: 0\r\n\r\n`).at).toBe('complete')
    },
  )

  test.each([
    'HTTP/2 200 OK',
    'HTTP/1.1 20 OK',
    'HTTP/1.1 2000 OK',
    'HTTP/1.1 OK',
    'HTTP/1.1200 OK',
    'HTTP/1.2 200 OK',
    'ICY 200 OK',
    '<html>',
    'SSH-2.0-OpenSSH',
    '',
  ])('%j is not', line => {
    expect(read(`${line}\r\nContent-Length: 0\r\n\r\n`)).toMatchObject({ at: 'failed', code: 'BAD_RESPONSE' })
  })

  test('what cannot become a status line is refused at its first bytes', () => {
    expect(read('220 ftp ready').code).toBe('BAD_RESPONSE')
    expect(read('HTTP/1').at).toBe('head')
  })

  test('too many headers, too long headers', () => {
    const many = 'X: y\r\n'.repeat(300)
    expect(read(`HTTP/1.1 200 OK\r\n${many}\r\n`).code).toBe('HEADERS_TOO_LARGE')
    const long = `X: ${'y'.repeat(70_000)}`
    expect(read(`HTTP/1.1 200 OK\r\n${long}\r\n\r\n`).code).toBe('HEADERS_TOO_LARGE')
    expect(read(`HTTP/1.1 200 OK\r\n${long}`, { pieces: [1000] }).code).toBe('HEADERS_TOO_LARGE')
  })
})

describe('bodies longer than the limit are cut there', () => {
  const limits = { bodyBytes: 10 }

  test.each([
    ['a longer length', 'HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n01234567890', '0123456789'],
    ['until close', 'HTTP/1.1 200 OK\r\n\r\n01234567890', '0123456789'],
    ['chunks', `${CHUNKED}8\r\n01234567\r\n0\r\n\r\n`, '0123456'],
  ])('%s', (_, text, payload) => {
    expect(read(text, { limits })).toMatchObject({ at: 'stopped', payload, persistent: false })
    expect(read(text, { limits, pieces: [1] })).toMatchObject({ at: 'stopped', payload })
  })

  test('one that just fits is whole', () => {
    expect(read('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n0123456789', { limits }).at).toBe('complete')
    expect(read('HTTP/1.1 200 OK\r\n\r\n0123456789', { limits, end: true }).at).toBe('complete')
  })
})

describe('unwanted bodies are not taken', () => {
  const head = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n'

  test('and cost the connection', () => {
    expect(read(`${head}he`, { wants: false })).toMatchObject({ at: 'stopped', raw: '', persistent: false })
    expect(read(head, { wants: false })).toMatchObject({ at: 'stopped', persistent: false })
  })

  test('unless all of it has come anyway', () => {
    expect(read(`${head}hello`, { wants: false })).toMatchObject({
      at: 'complete',
      raw: '',
      persistent: true,
    })
  })
})

test('the pieces in which a response arrives do not matter', () => {
  const body = fc.string({ maxLength: 60 }).map(text => Buffer.from(text).toString('latin1'))
  const eol = fc.constantFrom('\r\n', '\n')
  const response = fc.oneof(
    fc.tuple(body, eol).map(([b, n]) => `HTTP/1.1 200 OK${n}Content-Length: ${b.length}${n}${n}${b}`),
    fc
      .tuple(fc.array(body.filter(b => b !== '')), fc.constantFrom('', ';x=y'), eol)
      .map(([chunks, ext, n]) => {
        const framed = chunks.map(c => `${c.length.toString(16)}${ext}${n}${c}${n}`).join('')
        return `HTTP/1.1 103 Hints${n}${n}${CHUNKED}${framed}0${n}A: b${n}${n}`
      }),
    body.map(b => `HTTP/1.0 404 Gone\r\nX: y\r\n z\r\n\r\n${b}`),
    fc.tuple(body, body).map(([a, b]) => `HTTP/1.1 200 OK\r\n${a}\r\n\r\n${b}`),
  )
  const garbled = fc.tuple(response, fc.nat(), fc.nat(255)).map(([text, at, byte]) => {
    const bytes = Buffer.from(text, 'latin1')
    bytes[at % bytes.length] = byte
    return bytes.toString('latin1')
  })
  fc.assert(
    fc.property(
      fc.oneof(response, garbled),
      fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 20 }),
      (text, pieces) => {
        const whole = read(text, { end: true })
        expect(read(text, { pieces: [1], end: true })).toEqual(whole)
        expect(read(text, { pieces, end: true })).toEqual(whole)
      },
    ),
    { numRuns: 3000 },
  )
})
