import { describe, expect, it } from 'vitest'
import { joinSketches, readSketch, WordSketch } from './word-sketch.js'

function sketchOf(...texts: readonly string[]): string {
  const sketch = new WordSketch()
  for (const text of texts) {
    const bytes = Buffer.from(`xx${text}xx`)
    sketch.add(bytes, 2, bytes.length - 2)
  }
  return sketch.toString()
}

/** Cosine. */
function likeness(a: string, b: string): number {
  const [first, second] = [readSketch(a)!, readSketch(b)!]
  const product = (x: Int8Array, y: Int8Array) => x.reduce((sum, number, i) => sum + number * y[i], 0)
  return product(first, second) / Math.sqrt(product(first, first) * product(second, second))
}

describe('a sketch of words', () => {
  it('is the same for the same words, whatever their order, case, number and what stands between', () => {
    const sketch = sketchOf('Telescope, comet orbit - the planet 1999')
    expect(sketch).toBe(sketchOf('planet orbit comet\nTELESCOPE the planet planet'))
    expect(Buffer.from(sketch, 'base64')).toHaveLength(128)
  })

  it('is like that of a text with many of the same words, and unlike that of another', () => {
    const stars = sketchOf('telescope comet orbit planet nebula eclipse galaxy meteor crater')
    const sky = sketchOf('telescope comet orbit planet nebula forecast pressure')
    const bread = sketchOf('dough flour yeast crust oven loaf sourdough pastry bakery')
    expect(likeness(stars, sky)).toBeGreaterThan(0.5)
    expect(Math.abs(likeness(stars, bread))).toBeLessThan(0.3)
  })

  it.each([
    [
      'Russian',
      'телескоп комета орбита планета',
      'планета и телескоп, комета; орбита',
      'мука тесто хлеб печь',
    ],
    ['Vietnamese', 'Việt nghĩa tiếng những', 'những tiếng nghĩa Việt', 'thành người nước'],
    ['Japanese', '望遠鏡で惑星を観測する。', '「望遠鏡で惑星を観測する」', '小麦粉とイースト'],
    ['Thai', 'กล้องโทรทรรศน์', 'กล้องโทรทรรศน์ 2', 'ขนมปังแป้ง'],
  ])('knows words in %s', (_, text, same, other) => {
    expect(likeness(sketchOf(text), sketchOf(same))).toBeGreaterThan(0.9)
    expect(likeness(sketchOf(text), sketchOf(other))).toBeLessThan(0.4)
  })

  it('counts a word once a text, and as often as there are texts with it', () => {
    const often = sketchOf('comet comet comet', 'comet', 'crater')
    expect(often).toBe(sketchOf('comet', 'comet', 'crater crater'))
    expect(often).not.toBe(sketchOf('comet', 'crater'))
  })

  it('is empty without words, and reads the beginning of what is long, up to the last whole word', () => {
    expect(sketchOf('', 'the 42 of', '…', '😀')).toBe('')
    const start = 'comet '.repeat(341)
    expect(sketchOf(`${start}cratercrater`)).toBe(sketchOf('comet'))
    expect(sketchOf(`${'comet '.repeat(300)}crater`)).toBe(sketchOf('comet crater'))
  })

  it('of two halves is like both, and what is no sketch changes nothing', () => {
    const [stars, bread] = [sketchOf('telescope comet orbit'), sketchOf('dough flour yeast')]
    const both = joinSketches(stars, bread)
    expect(both).toBe(sketchOf('telescope comet orbit dough flour yeast'))
    expect(joinSketches(stars, 'AAAA')).toBe(stars)
    expect(joinSketches('', bread)).toBe(bread)
    expect(readSketch('AAAA')).toBeNull()
  })
})
