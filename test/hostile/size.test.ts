/** Bodies without end, and small ones that become huge: memory is bounded before and after decoding (P11). */
import * as zlib from 'node:zlib'
import { expect } from 'vitest'
import { LIMITS } from '../../src/model/index.js'
import { type Case, describeFamily, MB } from './family.js'
import type { Misbehave } from './hostile-web.js'

const PIECE = Buffer.alloc(64 * 1024, '<p>more</p>\n')
const TITLE = '<title>huge</title>'

const endless =
  (headers: string, piece: Buffer): Misbehave =>
  async talk => {
    talk.say(`HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n${headers}\r\n`)
    await talk.goodIsDone
    await talk.sayForever(piece)
  }

/** A response that is short on the wire. */
const bomb =
  (coding: string, body: () => Buffer): Misbehave =>
  async talk => {
    await talk.goodIsDone
    talk.page(body(), `Content-Type: text/html\r\nContent-Encoding: ${coding}\r\n`)
  }

const isCutWhenDecoded: NonNullable<Case['row']> = (row, _crawled, archived) => {
  expect(row.bodyBytes).toBe(LIMITS.bodyBytes)
  expect(row.title).toBe('huge')
  expect(archived?.payloadBytes).toBeLessThan(2 * MB)
}

const isCutAsSent: NonNullable<Case['row']> = (_row, _crawled, archived) => {
  expect(archived?.payloadBytes).toBeGreaterThan(LIMITS.bodyBytes * 0.99)
  expect(archived?.payloadBytes).toBeLessThanOrEqual(LIMITS.bodyBytes)
}

/** Newer Nodes can undo zstd, which we never ask for; older ones keep it as it came. */
/**
 * By hand, because older Nodes cannot make one: a raw block, then blocks of one byte repeated 128 KiB times.
 */
function zstdBomb(): Buffer {
  const title = Buffer.from(TITLE)
  const repeated = Buffer.of(0x02, 0x00, 0x10, 0x20)
  return Buffer.concat([
    Buffer.of(0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58),
    Buffer.of(title.length << 3, 0, 0),
    title,
    ...Array.from({ length: 800 }, () => repeated),
    Buffer.of(0x03, 0x00, 0x10, 0x20),
  ])
}

const plain = () => Buffer.concat([Buffer.from(TITLE), Buffer.alloc(100 * MB, ' ')])

describeFamily(
  'a body',
  [
    {
      does: 'without end in chunks',
      misbehave: endless(
        'Transfer-Encoding: chunked\r\n',
        Buffer.concat([Buffer.from(`${PIECE.length.toString(16)}\r\n`), PIECE, Buffer.from('\r\n')]),
      ),
      outcome: 'OK',
      truncated: 'length',
      row: isCutAsSent,
    },
    {
      does: 'without end until close',
      misbehave: endless('', PIECE),
      outcome: 'OK',
      truncated: 'length',
      row: isCutAsSent,
    },
    {
      does: 'of a terabyte by its own account',
      misbehave: endless('Content-Length: 1000000000000\r\n', PIECE),
      outcome: 'OK',
      truncated: 'length',
      row: isCutAsSent,
    },
    {
      does: 'of empty chunk extensions without end',
      misbehave: endless('Transfer-Encoding: chunked\r\n', Buffer.alloc(60_000, '1;a\r\nx\r\n')),
      outcome: 'OK',
      truncated: 'length',
    },
    {
      does: 'that is a gzip bomb',
      misbehave: bomb('gzip', () => zlib.gzipSync(plain())),
      outcome: 'OK',
      truncated: 'length',
      row: isCutWhenDecoded,
    },
    {
      does: 'that is a deflate bomb',
      misbehave: bomb('deflate', () => zlib.deflateSync(plain())),
      outcome: 'OK',
      truncated: 'length',
      row: isCutWhenDecoded,
    },
    {
      does: 'that is a brotli bomb',
      misbehave: bomb('br', () =>
        zlib.brotliCompressSync(plain(), { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 } }),
      ),
      outcome: 'OK',
      truncated: 'length',
      row: isCutWhenDecoded,
    },
    {
      does: 'that is a zstd bomb',
      misbehave: bomb('zstd', zstdBomb),
      outcome: 'OK',
      truncated: 'length',
      row: isCutWhenDecoded,
    },
    {
      does: 'that is a bomb in a bomb',
      misbehave: bomb('gzip, br', () =>
        zlib.brotliCompressSync(zlib.gzipSync(plain()), {
          params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 },
        }),
      ),
      outcome: 'OK',
      truncated: 'length',
      row: isCutWhenDecoded,
    },
    {
      does: 'under six encodings',
      misbehave: bomb('gzip, gzip, gzip, gzip, gzip, gzip', () => {
        let body = Buffer.from(TITLE)
        for (let i = 0; i < 6; i++) body = zlib.gzipSync(body)
        return body
      }),
      outcome: 'BAD_ENCODING',
    },
  ],
  { peakBytes: 600 * MB },
)

const OWN_BYTES = 1024 * 1024

describeFamily(
  'a bound of the user’s own (--max-body)',
  [
    {
      does: 'cuts what is sent',
      misbehave: endless('', PIECE),
      outcome: 'OK',
      truncated: 'length',
      row: (_row, _crawled, archived) => expect(archived?.payloadBytes).toBe(OWN_BYTES),
    },
    {
      does: 'cuts what is decoded',
      misbehave: bomb('gzip', () => zlib.gzipSync(plain())),
      outcome: 'OK',
      truncated: 'length',
      row: row => expect(row.bodyBytes).toBe(OWN_BYTES),
    },
  ],
  { flags: ['--max-body', '1Mi'] },
)
