import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { getSurt } from 'warcio/utils'
import { anyUrl, inDirectory } from '../../test/kit/store-samples.js'
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
})
