/** Responses whose parts contradict each other, or end where they should not. */
import { expect } from 'vitest'
import { type Case, describeFamily, hostOf } from './family.js'
import type { Misbehave, Talk } from './hostile-web.js'

/** Says it all once the good site is done, then closes, in good order or not. */
const says =
  (text: string, close: 'end' | 'reset' | 'keep' = 'end'): Misbehave =>
  async (talk: Talk) => {
    await talk.goodIsDone
    talk.say(text)
    if (close === 'end') talk.socket.end()
    // What was said has to leave before the reset, which throws away what has not.
    if (close === 'reset') setTimeout(() => talk.socket.resetAndDestroy(), 200)
  }

const HTML = '<title>kept</title>'
const keepsPage: NonNullable<Case['row']> = row => expect(row.title).toBe('kept')
const keepsPart =
  (bytes: number): NonNullable<Case['row']> =>
  (_row, _crawled, archived) =>
    expect(archived?.payloadBytes).toBe(bytes)

/**
 * A page that broke off: what came of it is archived, read and followed, and what was half written is not.
 */
const LINKED = `${HTML}<a href="/whole">whole</a><a href="/half`
const followsPart =
  (does: string): NonNullable<Case['row']> =>
  (row, crawled, archived) => {
    expect(row).toMatchObject({ title: 'kept', outlinks: 1 })
    expect(archived?.payloadBytes).toBe(LINKED.length)
    const asked = crawled.events.filter(event => event.startsWith(`asked ${hostOf(does)}/`))
    expect(asked.filter(event => !event.endsWith('/robots.txt'))).toEqual([
      `asked ${hostOf(does)}/`,
      `asked ${hostOf(does)}/whole`,
    ])
  }

const ok = (headers: string, body: string) =>
  `HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n${headers}\r\n${body}`
const chunked = (body: string) => ok('Transfer-Encoding: chunked\r\n', body)

describeFamily('a Content-Length that', [
  {
    does: 'is shorter than the body',
    misbehave: says(ok('Content-Length: 19\r\n', `${HTML}<a href="/smuggled">more</a>`), 'keep'),
    outcome: 'OK',
    row: (row, crawled) => {
      expect(row.title).toBe('kept')
      expect(row.outlinks).toBe(0)
      expect(crawled.events.some(event => event.includes('smuggled'))).toBe(false)
    },
  },
  {
    does: 'is longer than the body',
    misbehave: says(ok('Content-Length: 1000\r\n', LINKED)),
    outcome: 'BODY_CUT',
    truncated: 'disconnect',
    row: followsPart('is longer than the body'),
  },
  {
    does: 'is negative',
    misbehave: says(ok('Content-Length: -1\r\n', HTML)),
    outcome: 'BAD_RESPONSE',
    archived: false,
  },
  {
    does: 'is no number',
    misbehave: says(ok('Content-Length: 0x13\r\n', HTML)),
    outcome: 'BAD_RESPONSE',
    archived: false,
  },
  {
    does: 'is beyond counting',
    misbehave: says(ok('Content-Length: 99999999999999999999\r\n', HTML)),
    outcome: 'BAD_RESPONSE',
    archived: false,
  },
  {
    does: 'comes twice and disagrees',
    misbehave: says(ok('Content-Length: 19\r\nContent-Length: 20\r\n', HTML)),
    outcome: 'BAD_RESPONSE',
    archived: false,
  },
  {
    does: 'comes twice and agrees',
    misbehave: says(ok('Content-Length: 19\r\nContent-Length: 19\r\n', HTML)),
    outcome: 'OK',
    row: keepsPage,
  },
  {
    does: 'comes together with chunked',
    misbehave: says(ok('Content-Length: 5\r\nTransfer-Encoding: chunked\r\n', `13\r\n${HTML}\r\n0\r\n\r\n`)),
    outcome: 'OK',
    row: keepsPage,
  },
])

describeFamily('a chunked body', [
  {
    does: 'whose chunk size is no number',
    misbehave: says(chunked(`13\r\n${HTML}\r\nzz\r\n`)),
    outcome: 'BAD_RESPONSE',
    archived: false,
  },
  {
    does: 'whose chunk size is negative',
    misbehave: says(chunked('-5\r\nhello\r\n0\r\n\r\n')),
    outcome: 'BAD_RESPONSE',
    archived: false,
  },
  {
    does: 'whose chunk size is beyond counting',
    misbehave: says(chunked('ffffffffffffffffff\r\nhello')),
    outcome: 'BAD_RESPONSE',
    archived: false,
  },
  {
    does: 'whose chunk is longer than it says',
    misbehave: says(chunked('5\r\nhello world\r\n0\r\n\r\n')),
    outcome: 'BAD_RESPONSE',
    archived: false,
  },
  {
    does: 'with a megabyte of chunk extension',
    misbehave: says(chunked(`5;${'x'.repeat(1_000_000)}\r\nhello\r\n0\r\n\r\n`)),
    outcome: 'BAD_RESPONSE',
    archived: false,
  },
  {
    does: 'without its last chunk',
    misbehave: says(chunked(`${LINKED.length.toString(16)}\r\n${LINKED}\r\n`)),
    outcome: 'BODY_CUT',
    truncated: 'disconnect',
    row: followsPart('without its last chunk'),
  },
  {
    does: 'without the empty line behind its last chunk',
    misbehave: says(chunked(`13\r\n${HTML}\r\n0\r\n`)),
    outcome: 'BODY_CUT',
    truncated: 'disconnect',
    row: keepsPart(19),
  },
])

describeFamily('a head', [
  { does: 'without a status line', misbehave: says(HTML), outcome: 'BAD_RESPONSE', archived: false },
  {
    does: 'with a status that is no number',
    misbehave: says('HTTP/1.1 OK\r\n\r\n'),
    outcome: 'BAD_RESPONSE',
    archived: false,
  },
  {
    does: 'of another protocol',
    misbehave: says('SSH-2.0-OpenSSH_9.6\r\n'),
    outcome: 'BAD_RESPONSE',
    archived: false,
  },
  {
    does: 'with a header without colon',
    misbehave: says(ok('this is no header\r\nContent-Length: 19\r\n', HTML)),
    outcome: 'OK',
    row: keepsPage,
  },
  {
    does: 'with an empty line before it',
    misbehave: says(`\r\n${ok('Content-Length: 19\r\n', HTML)}`),
    outcome: 'OK',
    row: keepsPage,
  },
  {
    does: 'with two content types of which the last one counts',
    misbehave: says(
      `HTTP/1.1 200 OK\r\nContent-Type: application/pdf\r\nContent-Type: text/html\r\nContent-Length: 19\r\n\r\n${HTML}`,
    ),
    outcome: 'OK',
    row: row => expect(row).toMatchObject({ title: 'kept', mimeDetected: 'text/html' }),
  },
  {
    does: 'that says 304 though nothing was known',
    misbehave: says('HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\nhello'),
    outcome: 'REDIRECT_BAD',
  },
  {
    does: 'with 10000 headers',
    misbehave: says(ok('X: y\r\n'.repeat(10_000), HTML)),
    outcome: 'HEADERS_TOO_LARGE',
    archived: false,
  },
  {
    does: 'with a header line of a megabyte',
    misbehave: says(ok(`X: ${'y'.repeat(1_000_000)}\r\n`, HTML)),
    outcome: 'HEADERS_TOO_LARGE',
    archived: false,
  },
  {
    does: 'that is reset in the middle',
    misbehave: says('HTTP/1.1 200 OK\r\nContent-Ty', 'reset'),
    outcome: 'RESET',
    archived: false,
  },
  {
    does: 'that ends in the middle',
    misbehave: says('HTTP/1.1 200 OK\r\nContent-Ty'),
    outcome: 'RESET',
    archived: false,
  },
  {
    does: 'whose body is reset in the middle',
    misbehave: says(ok('Content-Length: 1000\r\n', HTML), 'reset'),
    outcome: 'BODY_CUT',
    truncated: 'disconnect',
    row: keepsPart(19),
  },
])
