import { expect, test } from 'vitest'
import type { Exchange } from '../../../model/index.js'
import { confirms, isConditional, unconditional } from './conditional.js'

const DATE = 'Sat, 15 Nov 2025 20:00:00 GMT'
const EARLIER = 'Fri, 14 Nov 2025 20:00:00 GMT'
const LATER = 'Sun, 16 Nov 2025 20:00:00 GMT'
const known = { etag: '"e"', lastModified: DATE, digest: 'sha1:A', storedAt: '2026', links: [] }
const notModified = (headers: Readonly<Record<string, string>>) =>
  ({ status: 304, header: (name: string) => headers[name] }) as unknown as Exchange

test('a request is conditional only if a validator can be sent', () => {
  expect(isConditional(undefined)).toBe(false)
  expect(isConditional({ ...known, etag: '' })).toBe(true)
  expect(isConditional({ ...known, lastModified: '' })).toBe(true)
  expect(isConditional({ ...known, etag: '"x"\r\nX: y', lastModified: '' })).toBe(false)
  expect(isConditional({ ...known, etag: '', lastModified: `${DATE}\r\nX: y` })).toBe(false)
  expect(isConditional(unconditional(known))).toBe(false)
  expect(unconditional(known)).toMatchObject({ digest: 'sha1:A', storedAt: '2026' })
})

test.each([
  ['says nothing', known, {}, true],
  ['has the same ETag', known, { etag: '"e"', 'last-modified': LATER }, true],
  ['has it in its weak form', known, { etag: 'W/"e"' }, true],
  ['has another ETag', known, { etag: '"f"', 'last-modified': DATE }, false],
  ['has an ETag where none was known', { ...known, etag: '' }, { etag: '"f"' }, true],
  ['has the same date', { ...known, etag: '' }, { 'last-modified': DATE }, true],
  ['has an earlier date', { ...known, etag: '' }, { 'last-modified': EARLIER }, true],
  ['has a later date', { ...known, etag: '' }, { 'last-modified': LATER }, false],
  ['has no date that can be read', { ...known, etag: '' }, { 'last-modified': 'soon' }, true],
])('a 304 that %s: is it about the known page?', (_, meta, headers, expected) => {
  expect(confirms(notModified(headers), meta)).toBe(expected)
})
