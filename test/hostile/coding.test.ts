/** Labels that lie about the body, and bodies that are damaged on the way. */
import { brotliCompressSync, deflateRawSync, gzipSync } from 'node:zlib'
import { expect } from 'vitest'
import { loadedZstd, loadZstd } from '../../src/model/bytes/index.js'
import { type Case, describeFamily } from './family.js'
import type { Misbehave } from './hostile-web.js'

const HTML = Buffer.from(`<title>kept</title>${'<p>text and more text</p>'.repeat(400)}`)
const ZIPPED = gzipSync(HTML)
await loadZstd()
const ZSTD = Buffer.from(loadedZstd()!.compress(HTML, 3))

const sends =
  (body: Buffer, coding: string): Misbehave =>
  async talk => {
    await talk.goodIsDone
    talk.page(body, `Content-Type: text/html\r\n${coding === '' ? '' : `Content-Encoding: ${coding}\r\n`}`)
  }

const isRead: NonNullable<Case['row']> = row => {
  expect(row.title).toBe('kept')
  expect(row.text).toContain('more text')
}

describeFamily('a Content-Encoding', [
  { does: 'of gzip on plain text', misbehave: sends(HTML, 'gzip'), outcome: 'OK', row: isRead },
  {
    does: 'that is missing on gzip',
    misbehave: sends(ZIPPED, ''),
    outcome: 'OK',
    row: row => expect(row.mimeDetected).toBe('application/gzip'),
  },
  {
    does: 'of gzip with a corrupt tail',
    misbehave: sends(Buffer.concat([ZIPPED.subarray(0, -8), Buffer.alloc(8, 0xff)]), 'gzip'),
    outcome: 'OK',
    row: isRead,
  },
  {
    does: 'of gzip with its tail cut off',
    misbehave: sends(ZIPPED.subarray(0, -12), 'gzip'),
    outcome: 'OK',
    truncated: 'unspecified',
    row: row => expect(row.title).toBe('kept'),
  },
  {
    does: 'of br with its tail cut off',
    misbehave: sends(brotliCompressSync(HTML).subarray(0, -3), 'br'),
    outcome: 'OK',
    truncated: 'unspecified',
  },
  {
    does: 'of deflate with its tail cut off',
    misbehave: sends(deflateRawSync(HTML).subarray(0, -3), 'deflate'),
    outcome: 'OK',
    truncated: 'unspecified',
    row: row => expect(row.title).toBe('kept'),
  },
  { does: 'of zstd', misbehave: sends(ZSTD, 'zstd'), outcome: 'OK', row: isRead },
  { does: 'of zstd in gzip', misbehave: sends(gzipSync(ZSTD), 'zstd, gzip'), outcome: 'OK', row: isRead },
  {
    does: 'of zstd with its second frame cut off',
    misbehave: sends(Buffer.concat([ZSTD, ZSTD.subarray(0, 40)]), 'zstd'),
    outcome: 'OK',
    truncated: 'unspecified',
    row: isRead,
  },
  { does: 'of zstd on plain text', misbehave: sends(HTML, 'zstd'), outcome: 'OK', row: isRead },
  {
    does: 'of zstd with a dictionary',
    misbehave: sends(Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 1, 0x20, 5, 1, 0, 0]), 'zstd'),
    outcome: 'BAD_ENCODING',
  },
  {
    does: 'of gzip with garbage behind it',
    misbehave: sends(Buffer.concat([ZIPPED, Buffer.from('garbage')]), 'gzip'),
    outcome: 'OK',
    row: isRead,
  },
  {
    does: 'of gzip broken from the start',
    misbehave: sends(Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 0xff, 0xff, 0xff, 0xff]), 'gzip'),
    outcome: 'BAD_ENCODING',
  },
  { does: 'of br on plain text', misbehave: sends(HTML, 'br'), outcome: 'BAD_ENCODING' },
  { does: 'nobody ever heard of', misbehave: sends(HTML, 'utf-8, x-magic'), outcome: 'OK', row: isRead },
])
