import fc from 'fast-check'
import { expect, it } from 'vitest'
import { packFacts, unpackFacts } from './page-facts.js'

it('facts come out as they went in, and take less room', () => {
  const word = fc.string({ unit: 'grapheme', maxLength: 40 })
  const facts = fc.record({
    mime: word,
    mimeDetected: word,
    charset: word,
    languages: word,
    title: word,
    description: word,
    canonical: fc.webUrl(),
    outlinks: fc.nat(),
    outlinksForeign: fc.nat(),
    text: fc.string({ unit: 'binary', maxLength: 5_000 }).map(text => Buffer.from(text)),
  })
  fc.assert(
    fc.property(facts, page => {
      const { text, ...rest } = unpackFacts(packFacts(page))
      const { text: before, ...others } = page
      expect(rest).toEqual(others)
      expect(Buffer.from(text).equals(before)).toBe(true)
    }),
  )
  const prose = { mime: '', mimeDetected: '', charset: '', languages: '', title: '', description: '' }
  const text = Buffer.from('orb weavers build their webs at night. '.repeat(200))
  const packed = packFacts({ ...prose, canonical: '', outlinks: 0, outlinksForeign: 0, text })
  expect(packed.length).toBeLessThan(text.length / 3)
})
