import { describe, expect, test } from 'vitest'
import { readSource, wholeSource } from './sources.js'

describe('--source', () => {
  test.each([
    ['https://a.test/=dir:/var/www', { kind: 'directory', prefix: 'https://a.test/', root: '/var/www' }],
    ['https://a.test=dir:/a=b', { kind: 'directory', prefix: 'https://a.test/', root: '/a=b' }],
    ['http://A.test:80/Docs=dir:x', { kind: 'directory', prefix: 'http://a.test/Docs/', root: 'x' }],
    [
      'http://a.test/=http://127.0.0.1:8080',
      { kind: 'origin', prefix: 'http://a.test/', origin: 'http://127.0.0.1:8080' },
    ],
    [
      'http://a.test/=https://b.test/',
      { kind: 'origin', prefix: 'http://a.test/', origin: 'https://b.test' },
    ],
    ['*=warc:/a/*.warc.gz', { kind: 'archive', prefix: '', pattern: '/a/*.warc.gz' }],
    ['http://a.test/=warc:x.warc', { kind: 'archive', prefix: 'http://a.test/', pattern: 'x.warc' }],
  ])('%s', (text, source) => expect(readSource(text)).toEqual(source))

  test.each([
    ['https://a.test/', 'must be PREFIX=SPEC'],
    ['https://a.test/=/var/www', 'must be PREFIX=SPEC'],
    ['https://a.test/=ftp://b', 'must be PREFIX=SPEC'],
    ['a.test=dir:/var/www', 'is not an http or https URL'],
    ['https://a.test/?q=1=dir:/x', 'is not an http or https URL'],
    ['=dir:/x', 'is not an http or https URL'],
    ['*=dir:/x', '* is only for archives'],
    ['*=http://b.test', '* is only for archives'],
    ['https://a.test/=dir:', 'names no directory'],
    ['https://a.test/=warc:', 'names no WARC file'],
    ['https://a.test/=http://b.test/path', 'an origin without a path'],
    ['https://a.test/=http://b.test/?q', 'an origin without a path'],
  ])('%s is refused', (text, why) => expect(readSource(text)).toContain(why))

  test('paths become absolute', () => {
    expect(wholeSource('http://a.test=dir:x/')).toBe(`http://a.test/=dir:${process.cwd()}/x`)
    expect(wholeSource('*=warc:x/*.gz')).toBe(`*=warc:${process.cwd()}/x/*.gz`)
    expect(wholeSource(wholeSource('*=warc:x/*.gz'))).toBe(`*=warc:${process.cwd()}/x/*.gz`)
    expect(wholeSource('http://a.test=http://b.test:81/')).toBe('http://a.test/=http://b.test:81')
  })
})
