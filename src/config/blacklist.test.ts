import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readBlacklist } from './blacklist.js'

describe('the blacklist', () => {
  it.each([
    ['example.org', 'example.org'],
    ['EXAMPLE.org', 'example.org'],
    ['*.example.org', 'example.org'],
    ['.example.org', 'example.org'],
    ['example.org:8080', 'example.org:8080'],
    ['example.org.', 'example.org'],
    ['example.org.:8080', 'example.org:8080'],
    ['https://example.org/some/page', 'example.org'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['192.0.2.1', '192.0.2.1'],
    ['[2001:db8::1]', '[2001:db8::1]'],
  ])('%s is %s', (written, name) => expect(readBlacklist([written])).toEqual([name]))

  it.each(['', 'two words', '@/no/such/file', 'http://'])('%j is refused', written =>
    expect(() => readBlacklist([written])).toThrow(TypeError),
  )

  it('comes from files too, without comments and doubles', () => {
    const file = join(mkdtempSync(join(tmpdir(), 'orbweaver-test-')), 'list')
    writeFileSync(file, '# ads\nads.example\r\n\n  track.example # and this\nads.example\n')
    expect(readBlacklist([`@${file}`, 'x.example'])).toEqual(['ads.example', 'track.example', 'x.example'])
  })
})
