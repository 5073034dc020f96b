import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { getSurt } from 'warcio/utils'
import { anyUrl, inDirectory, sampleExchange } from '../../test/kit/store-samples.js'
import { ByteSink } from './byte-sink.js'
import { appendCdxjEntry, appendCdxjLines } from './cdxj.js'
import { sortLines } from './sort-lines.js'
import { surt } from './surt.js'

describe('SURT keys', () => {
  it('look like this', () => {
    expect(surt('http://example.org/')).toBe('org,example)/')
    expect(surt('https://www2.Example.co.uk:8443/A/B?z=1&a=2&m')).toBe('uk,co,example:8443)/a/b?a=2&m&z=1')
    expect(surt('http://192.0.2.1/x')).toBe('1,2,0,192)/x')
    expect(surt('http://[2001:db8::1]:81/')).toBe('[2001:db8::1]:81)/')
    expect(surt('http://localhost/')).toBe('localhost)/')
  })

  it('are those of warcio', () => {
    fc.assert(
      fc.property(anyUrl, url => {
        expect(surt(url)).toBe(getSurt(url))
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
