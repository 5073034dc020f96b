/** Pages made to hurt whoever parses them, and pages that are not what they say. */
import { expect } from 'vitest'
import { LIMITS } from '../../src/model/index.js'
import { type Case, describeFamily, MB } from './family.js'
import type { Misbehave } from './hostile-web.js'

const shows =
  (body: () => string | Buffer, type = 'text/html'): Misbehave =>
  async talk => {
    await talk.goodIsDone
    talk.page(body(), `Content-Type: ${type}\r\n`)
  }

const TITLE = '<title>kept</title>'
/** Out of scope: it is the finding of links that is tried here, not their crawling. */
const link = (n: number) => `<a href="http://far.example/${n}">`
const numbered = (count: number, make: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => make(n)).join('')
const isRead: NonNullable<Case['row']> = row => expect(row.title).toBe('kept')
const hasLinks =
  (count: number): NonNullable<Case['row']> =>
  row => {
    expect(row.title).toBe('kept')
    expect(row.outlinks).toBe(count)
  }

describeFamily(
  'a page of',
  [
    {
      does: '50000 nested divs',
      misbehave: shows(() => `${TITLE}${'<div>'.repeat(50_000)}${link(1)}`),
      outcome: 'OK',
      row: hasLinks(1),
    },
    {
      does: '50000 nested divs for the full parser',
      misbehave: shows(() => `${TITLE}<svg><div>${'<div>'.repeat(50_000)}${link(1)}`),
      outcome: 'OK',
      row: hasLinks(1),
    },
    {
      does: 'a million links',
      misbehave: shows(() => TITLE + numbered(1_000_000, link)),
      outcome: 'OK',
      truncated: 'length',
      row: hasLinks(LIMITS.linksPerPage),
    },
    {
      does: 'a million short links',
      misbehave: shows(
        () => `${TITLE}<base href="http://far.example/">${numbered(1_000_000, n => `<a href=${n}>`)}`,
      ),
      outcome: 'OK',
      row: hasLinks(LIMITS.linksPerPage),
    },
    {
      does: 'an attribute of 50 MB',
      misbehave: shows(() => `${TITLE}<a title="${'x'.repeat(50 * MB)}" href="http://far.example/">`),
      outcome: 'OK',
      truncated: 'length',
      row: isRead,
    },
    {
      does: 'an attribute of 30 MB',
      misbehave: shows(() => `${TITLE}<a title="${'x'.repeat(30 * MB)}" href="http://far.example/">`),
      outcome: 'OK',
      row: hasLinks(1),
    },
    {
      does: 'a million entities',
      misbehave: shows(() => `${TITLE}${'&amp;&copy;&#x41;&notanentity'.repeat(250_000)}${link(1)}`),
      outcome: 'OK',
      row: hasLinks(1),
    },
    {
      does: 'binary called text',
      misbehave: shows(() => Buffer.from(Array.from({ length: 100_000 }, (_, i) => (i * 7919) & 255))),
      outcome: 'OK',
      row: row => {
        expect(row.mimeDetected).toBe('application/octet-stream')
        expect(row.text).toBe('')
      },
    },
    {
      does: 'a picture called text',
      misbehave: shows(() =>
        Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(50_000)]),
      ),
      outcome: 'OK',
      row: row => expect(row.mimeDetected).toBe('image/png'),
    },
    {
      does: 'UTF-16 with a mark',
      misbehave: shows(() => Buffer.from(`\ufeff<title>kept</title><p>schön 漢字 ${link(1)}`, 'utf16le')),
      outcome: 'OK',
      row: row => {
        expect(row).toMatchObject({ charset: 'utf-16le', title: 'kept', outlinks: 1 })
        expect(row.text).toContain('schön 漢字')
      },
    },
    {
      does: 'UTF-16 without a mark',
      misbehave: shows(() => Buffer.from(`<title>kept</title><p>schön ${link(1)}`, 'utf16le').swap16()),
      outcome: 'OK',
      row: row => expect(row).toMatchObject({ charset: 'utf-16be', title: 'kept', outlinks: 1 }),
    },
    {
      does: 'mark against header against meta',
      misbehave: shows(
        () => Buffer.from('\ufeff<meta charset=koi8-r><title>é漢</title>'),
        'text/html; charset=windows-1251',
      ),
      outcome: 'OK',
      row: row => expect(row).toMatchObject({ charset: 'utf-8', title: 'é漢' }),
    },
    {
      does: 'header against meta',
      misbehave: shows(
        () => Buffer.from('<meta charset=utf-8><title>\xcf\xf0\xe8\xe2\xe5\xf2</title>', 'latin1'),
        'text/html; charset=windows-1251',
      ),
      outcome: 'OK',
      row: row => expect(row).toMatchObject({ charset: 'windows-1251', title: 'Привет' }),
    },
    {
      does: 'meta against the bytes',
      misbehave: shows(() =>
        Buffer.from('<meta charset=windows-1253><title>\xca\xe1\xeb\xe7\x80</title>', 'latin1'),
      ),
      outcome: 'OK',
      row: row => expect(row).toMatchObject({ charset: 'windows-1253', title: 'Καλη€' }),
    },
    {
      does: '32 MB that triple when they become UTF-8',
      misbehave: shows(() => Buffer.alloc(LIMITS.bodyBytes, 0x80), 'text/html; charset=windows-1252'),
      outcome: 'OK',
      row: row => expect(row.text.startsWith('€€€')).toBe(true),
    },
    {
      does: 'a charset nobody knows',
      misbehave: shows(
        () => Buffer.from('<title>sch\xf6n</title>', 'latin1'),
        `text/html; charset=${'x'.repeat(5_000)}`,
      ),
      outcome: 'OK',
      row: row => expect(row.title).toBe('schön'),
    },
  ],
  { peakBytes: 600 * MB },
)
