import { describe, expect, it } from 'vitest'
import { WordSketch } from '../../model/bytes/index.js'
import { keptWords, noteWords } from './stored-site.js'

function sketchOf(text: string): string {
  const sketch = new WordSketch()
  sketch.add(Buffer.from(text), 0, text.length)
  return sketch.toString()
}

describe('words of sites', () => {
  const [stars, bread] = [sketchOf('telescope comet'), sketchOf('dough flour')]

  it('are joined where several conversions noted some', () => {
    const site: { words?: string } = {}
    noteWords(site)
    expect(site).toEqual({})
    noteWords(site, stars)
    expect(site).toEqual({ words: stars })
    noteWords(site, '')
    noteWords(site, bread)
    expect(site).toEqual({ words: sketchOf('telescope comet dough flour') })
  })

  it('of the crawl before are kept where this one saw none, or only a part of the site (S1)', () => {
    const [before, now] = [{ words: stars }, { words: bread }]
    expect(keptWords(before, {}, false)).toEqual(before)
    expect(keptWords(before, now, false)).toEqual(now)
    expect(keptWords(before, now, true)).toEqual(before)
    expect(keptWords({}, now, true)).toEqual(now)
    expect(keptWords({}, {}, false)).toEqual({})
  })
})
