import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyUrl, inDirectory, sampleExchange } from '../../../../test/kit/store-samples.js'
import { normaliseUrl } from '../../../model/url/index.js'
import { ByteSink } from '../bytes/index.js'
import { appendCdxjEntry, appendCdxjLines } from './cdxj.js'
import { sortLines } from './sort-lines.js'
import { surt } from './surt.js'

/** Session ids of the lengths that servers give them. */
const ID32 = '0f'.repeat(16)
const ID24 = 'q5'.repeat(12)

/** Checked against the `surt` package of the Internet Archive, which pywb looks URLs up with. */
describe('the key of a URL is that of the Internet Archive', () => {
  it.each([
    ['http://example.org/', 'org,example)/'],
    ['https://www2.example.co.uk:8443/A/B', 'uk,co,example:8443)/a/b'],
    ['http://www.net/', 'net)/'],
    ['http://wwwx.example.org/', 'org,example,wwwx)/'],
    ['http://example.org./', 'org,example)/'],
    ['http://192.0.2.1/x', '1,2,0,192)/x'],
    ['http://[2001:db8::1]:81/', '2001:db8::1:81)/'],
    ['http://localhost/', 'localhost)/'],
  ])('host of %s', (url, key) => expect(surt(url)).toBe(key))

  it.each([
    ['http://a.test/docs/', 'test,a)/docs'],
    ['http://a.test/docs//x///', 'test,a)/docs/x'],
    ['http://a.test/caf%C3%A9/', 'test,a)/caf%c3%a9'],
    ['http://a.test/%7Euser/%41', 'test,a)/~user/a'],
    ['http://a.test/50%25', 'test,a)/50%25'],
    ['http://a.test/50%252541', 'test,a)/50a'],
    ['http://a.test/5%', 'test,a)/5%25'],
    ['http://a.test/%zz%2', 'test,a)/%25zz%252'],
    ['http://a.test/a%2F..%2Fb%20c', 'test,a)/b%20c'],
    ['http://a.test/a%3Fb%23c', 'test,a)/a?b%23c'],
    ['http://a.test/%2E%2E%2Fb', 'test,a)/../b'],
    ['http://a.test/%252E%252E/b', 'test,a)/../b'],
    [`http://a.test/(${ID24})/Shop.aspx`, 'test,a)/shop.aspx'],
    [`http://a.test/x/(S(${ID24})F(${ID24}))/Shop.aspx`, 'test,a)/x/shop.aspx'],
    [`http://a.test/(${ID24})/shop.php`, `test,a)/(${ID24})/shop.php`],
  ])('path of %s', (url, key) => expect(surt(String(normaliseUrl(url)))).toBe(key))

  it.each([
    ['http://a.test/?', 'test,a)/'],
    ['http://a.test/s/?Q=Caf%C3%A9', 'test,a)/s?q=caf%c3%a9'],
    ['http://a.test/?z=1&a=2&m', 'test,a)/?a=2&m&z=1'],
    ['http://a.test/?a-b=1&a=2&a&a=1&', 'test,a)/?&a&a=1&a=2&a-b=1'],
    ['http://a.test/?b=1%26a=2', 'test,a)/?a=2&b=1'],
    ['http://a.test/?u=http%3A//b.test/x/', 'test,a)/?u=http://b.test/x/'],
    [`http://a.test/?JSESSIONID=${ID32}`, 'test,a)/'],
    [`http://a.test/?p=1&sid=${ID32}`, 'test,a)/?&p=1'],
    [`http://a.test/?PHPSESSID=${ID32}&p=1`, 'test,a)/?p=1'],
    [`http://a.test/?sid=${ID32}0&p=1`, `test,a)/?p=1&sid=${ID32}0`],
    [`http://a.test/?ASPSESSIONIDABCDEFGH=${'x'.repeat(24)}&p=1`, 'test,a)/?p=1'],
    ['http://a.test/?CFID=1&CFTOKEN=2&p=1', 'test,a)/?p=1'],
  ])('query of %s', (url, key) => expect(surt(url)).toBe(key))

  it('has no space, newline or capital letter, whatever the URL holds', () => {
    fc.assert(
      fc.property(anyUrl, url => {
        expect(surt(url)).toMatch(/^[!-@[-~]+$/)
      }),
    )
  })
})

describe('lines of an index', () => {
  it('are JSON behind key and time, whatever URL and media type hold', () => {
    const url = 'http://example.org/a?q=\\"é'
    const mime = 'text/"odd"\\'
    const [entries, lines] = [new ByteSink(), new ByteSink()]
    const record = { offset: 7, length: 30, digest: 'sha1:ABC' }
    for (const row of [
      { mime, status: 200 },
      { mime: 'text/html', status: 404 },
    ])
      appendCdxjEntry(entries, sampleExchange({ url }), row, record, false)
    appendCdxjLines(lines, entries.view(), 'x.warc.gz', 100)
    const written = lines.view().toString().trimEnd().split('\n')
    const json = written.map(line => JSON.parse(line.slice(line.indexOf(' {') + 1)))
    const rest = { url, digest: 'ABC', length: '30', offset: '107', filename: 'x.warc.gz' }
    expect(json).toEqual([
      { mime, status: '200', ...rest },
      { mime: 'text/html', status: '404', ...rest },
    ])
  })
})

describe('lines are sorted', () => {
  it('by bytes, whatever fits into memory, and only the committed ones', () =>
    inDirectory(directory => {
      const line = fc.string({ unit: 'binary-ascii', maxLength: 20 }).map(text => text.replaceAll('\n', ''))
      const input = join(directory, 'log')
      const output = join(directory, 'sorted')
      fc.assert(
        fc.property(fc.array(line), fc.constantFrom(1, 40, 100_000), (lines, runBytes) => {
          const filled = lines.map(text => `x${text}`)
          const log = Buffer.from(filled.map(text => `${text}\n`).join(''), 'latin1')
          writeFileSync(input, Buffer.concat([log, Buffer.from('not committed\n')]))
          sortLines(input, log.length, output, runBytes)
          const expected = filled.map(text => Buffer.from(text, 'latin1')).sort(Buffer.compare)
          expect(readFileSync(output, 'latin1')).toBe(
            expected.map(bytes => `${bytes.toString('latin1')}\n`).join(''),
          )
        }),
        { numRuns: 60 },
      )
      expect(readdirSync(directory).filter(name => name.endsWith('.tmp'))).toEqual([])
    }))

  it('also those longer than a run or a window, the beginning of another first', () =>
    inDirectory(directory => {
      const input = join(directory, 'log')
      const output = join(directory, 'sorted')
      const lines = [3, 200_000, 1, 70_000, 2, 0].flatMap(length => ['b', 'a'].map(c => c.repeat(length + 1)))
      const odd = ['a\t', 'a', 'a\u0001', '\u00ff']
      const expected = [...lines, ...odd].sort()
      for (const runBytes of [1, 1_000, 300_000, 1e7]) {
        writeFileSync(input, [...lines, ...odd].join('\n'), 'latin1')
        sortLines(input, 1e9, output, runBytes)
        expect(readFileSync(output, 'latin1')).toBe(`${expected.join('\n')}\n`)
      }
      writeFileSync(input, '')
      sortLines(input, 0, output)
      expect(readFileSync(output, 'latin1')).toBe('')
    }))
})
