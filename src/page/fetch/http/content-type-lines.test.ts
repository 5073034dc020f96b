import { expect, it } from 'vitest'
import { effectiveType } from './content-type-lines.js'

it.each([
  ['text/plain | text/html', 'text/html'],
  ['text/html | text/plain', 'text/plain'],
  ['text/plain, text/html', 'text/html'],
  ['text/html | html', 'text/html'],
  ['text/html | */*', 'text/html'],
  ['text/html; charset=koi8-r | text/html', 'text/html; charset=koi8-r'],
  ['text/html; charset=koi8-r | text/html; charset=utf-8', 'text/html; charset=utf-8'],
  ['text/html; charset=koi8-r | text/html | text/html;x=y', 'text/html;x=y; charset=koi8-r'],
  ['text/plain; charset=koi8-r | text/html', 'text/html'],
  ['text/html; charset="a,b" | ', 'text/html; charset="a,b"'],
  ['nonsense | more', 'nonsense'],
  [' | ', ''],
])('%s is %s', (lines, type) => {
  expect(effectiveType(lines.split(' | '))).toBe(type)
})

it('a header as long as headers can be is read at once', () => {
  for (const piece of [',', '"', '",', 'a', ';charset=', 'text/html,', ' '])
    expect(effectiveType([piece.repeat(65_536 / piece.length)]).length).toBeLessThanOrEqual(65_536)
})
