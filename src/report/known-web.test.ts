import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { fingerprint, takeFingerprint } from '../model/bytes/index.js'
import { KnownWeb } from './known-web.js'

const file = (text: string): string => {
  const path = join(mkdtempSync(join(tmpdir(), 'orb-truth-')), 'truth.tsv')
  writeFileSync(path, text)
  return path
}

function judged(web: KnownWeb, ...found: string[]) {
  const judge = web.judge()
  for (const url of found) {
    takeFingerprint(url)
    judge.saw(fingerprint.low, fingerprint.high)
  }
  return judge.truth()
}

describe('a web whose pages are known', () => {
  const ranked = KnownWeb.read(
    file('http://a/1\t0.4\r\nhttp://a/2\t0.3\nhttp://a/3\t0.2\n\nhttp://a/4\t1e-1'),
  )

  it('says what share of it was found, and of the N best among N', () => {
    expect(judged(ranked, 'http://a/1', 'http://a/4')).toEqual({ coverage: 0.5, quality: 0.5 })
    expect(judged(ranked, 'http://a/3', 'http://a/4')).toEqual({ coverage: 0.5, quality: 0 })
    expect(judged(ranked, 'http://a/2', 'http://a/1', 'http://a/3')).toEqual({ coverage: 0.75, quality: 1 })
    expect(judged(ranked)).toEqual({ coverage: 0, quality: null })
  })

  it('takes any of those that rank alike', () => {
    const web = KnownWeb.read(file('http://a/1\t2\nhttp://a/2\t1\nhttp://a/3\t1\nhttp://a/4\t1\n'))
    expect(judged(web, 'http://a/1', 'http://a/4').quality).toBe(1)
    expect(judged(web, 'http://a/2', 'http://a/4').quality).toBe(0.5)
  })

  it('counts what it does not know as found and not as good', () => {
    expect(judged(ranked, 'http://a/1', 'http://b/1')).toEqual({ coverage: 0.25, quality: 0.5 })
  })

  it('without ranks has no quality, and refuses what is not a rank', () => {
    expect(judged(KnownWeb.read(file('http://a/1\nhttp://a/2\n')), 'http://a/2')).toEqual({
      coverage: 0.5,
      quality: null,
    })
    expect(() => KnownWeb.read(file('http://a/1\tbest\n'))).toThrow('"best" is not a rank')
  })
})
