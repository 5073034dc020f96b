/** Verdicts, keywords, rows and selectors: what needs no process. */
import { describe, expect, it } from 'vitest'
import { stripTypes } from './guest-source.js'
import { PageTree } from './html/index.js'
import { ItemCheck } from './items.js'
import { KeywordCounter } from './keywords.js'
import { keptBy, VERDICTS } from './verdict.js'

describe('keywords', () => {
  const count = (keyword: string, text: string) => new KeywordCounter([keyword]).count('', text).matches

  it('are whole words in any case, in title and text', () => {
    const counter = new KeywordCounter(['flu', 'heart attack', 'flu'])
    const { counts, matches } = counter.count(
      'FLU season',
      'The flu, (Flu) and fluent influence. Heart attack!',
    )
    expect(counts).toEqual({ flu: 3, 'heart attack': 1 })
    expect(matches).toBe(4)
  })

  it('are bounded by letters of any script, but not where words have no space between them', () => {
    expect(count('über', 'Über überall, darüber')).toBe(1)
    expect(count('流感', '今年流感很严重')).toBe(1)
    expect(count('грипп', 'грипп гриппа ГРИПП')).toBe(2)
    expect(count('c++', 'c++ and c++11')).toBe(2)
  })

  it('keep the lines that have them', () => {
    expect(new KeywordCounter(['b']).linesWith('a b\nc\nB')).toBe('a b\nB')
  })
})

it('every verdict but none keeps the rows of the guest, and without a verdict all is kept', () => {
  expect(VERDICTS.map(verdict => keptBy(verdict).items)).toEqual(VERDICTS.map(verdict => verdict !== 'none'))
  expect(keptBy(null)).toEqual({ record: 'response', text: 'page', meta: true, links: true, items: true })
  expect(VERDICTS.map(verdict => keptBy(verdict).record)).toEqual([
    ...['none', 'response', 'conversion', 'none', 'none', 'none'],
  ])
})

describe('rows', () => {
  const schema = {
    properties: { name: { type: 'string' }, n: { type: 'integer' }, rest: {} },
    required: ['name'],
  }

  it('of a schema have its columns; another shape is said in one line', () => {
    const check = new ItemCheck(schema)
    expect(check.check([{ name: 'a', rest: [1] }])).toEqual([
      [
        { name: 'name', type: 'string', value: 'a' },
        { name: 'n', type: 'number', value: null },
        { name: 'rest', type: 'json', value: '[1]' },
      ],
    ])
    expect(check.check([{ name: 7 }])).toBe('row 1: "name" is not a string, as the schema says')
    expect(check.check([{ n: 7 }])).toBe('row 1: "name" is missing')
    expect(check.check([{ name: 'a', other: 1 }])).toBe('row 1: the schema has no "other"')
    expect(check.check(['text'])).toBe('row 1: it is not an object')
    expect(check.check(undefined)).toEqual([])
  })

  it('without a schema have the types of their values, and a bounded number of columns', () => {
    const check = new ItemCheck(undefined)
    expect(check.check({ a: 1, b: true, c: 'x', d: null, e: Number.NaN })).toEqual([
      [
        { name: 'a', type: 'number', value: 1 },
        { name: 'b', type: 'boolean', value: true },
        { name: 'c', type: 'string', value: 'x' },
        { name: 'd', type: 'json', value: null },
        { name: 'e', type: 'json', value: 'null' },
      ],
    ])
    expect(check.check([{ A: 1, a: 2 }])).toContain('used twice')
    expect(check.check([{ page_url: 1 }])).toContain('or by orbweaver')
    expect(check.check(Array.from({ length: 1_001 }, () => ({})))).toContain('1001 rows')
    const wide = (from: number) =>
      Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`f${from + i}`, 1]))
    expect(check.check([wide(0), wide(60), wide(120), wide(180)])).toHaveLength(4)
    expect(check.check([wide(240)])).toContain('different fields')
  })

  it.each([7, [], { properties: 7 }, { properties: { page_row: {} } }, { properties: {}, required: 1 }])(
    'need a schema that is one (%j is none)',
    schema => expect(() => new ItemCheck(schema)).toThrow(TypeError),
  )
})

describe('a selector', () => {
  const tree = new PageTree(`<div id=top class="a b"><p>One</p><p class=x data-k="v1 v2">Two <b>bold</b></p>
    <ul><li>1<li class=x>2<li>3</ul><script>no</script></div><p lang=en-GB>Last</p>`)
  const texts = (selector: string) => tree.find(0, selector).map(element => tree.text(element))

  it.each([
    ['p', ['One', 'Two bold', 'Last']],
    ['#top p.x', ['Two bold']],
    ['div.a.b > p', ['One', 'Two bold']],
    ['[data-k~=v2], [data-k^="v1"] b', ['Two bold', 'bold']],
    ['[lang|=en]', ['Last']],
    ['[data-k$="V2" i]', ['Two bold']],
    ['p + p', ['Two bold']],
    ['p ~ ul li:first-child', ['1']],
    ['li:nth-child(2)', ['2']],
    ['li:not(.x):last-child', ['3']],
    ['div *:not(p):not(li):not(b):not(script)', ['1 2 3']],
    ['nothing', []],
  ])('%s', (selector, expected) => expect(texts(selector)).toEqual(expected))

  it.each(['', 'p:::', '..', '[', 'p >', ':hover', 'p,', ':nth-child(0)'])('%j is refused', selector =>
    expect(() => tree.find(0, selector)).toThrow(SyntaxError),
  )

  it('finds inside an element, and gives attributes and HTML', () => {
    const [item] = tree.find(0, 'p.x')
    expect(tree.find(item, 'b').map(element => tree.html(element))).toEqual(['<b>bold</b>'])
    expect(tree.attribute(item, 'DATA-K')).toBe('v1 v2')
    expect(() => tree.text(999)).toThrow(RangeError)
  })
})

it('types are removed in place; what would have to be compiled is refused with its line', async () => {
  expect(await stripTypes('const a: number = 1')).toBe('const a         = 1')
  await expect(stripTypes('\nenum A { x }')).rejects.toThrow('(line 2)')
})
