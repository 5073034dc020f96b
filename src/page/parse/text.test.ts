import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LIMITS } from '../../model/index.js'
import { parsePage } from './parse-page.js'

function text(html: string): string {
  const page = { url: 'http://h/', body: Buffer.from(html), contentType: 'text/html; charset=utf-8' }
  return parsePage({ ...page, wantText: true, wantRequisites: false }).text.toString()
}

describe('text', () => {
  it.each([
    ['has one space between words', ' a  b\n\tc&nbsp; d\u00a0\u00a0e ', 'a b c d e'],
    ['has a line for each block', '<p>a<p>b<div>c<h2>d</h2>e<br>f', 'a\nb\nc\nd\ne\nf'],
    ['keeps inline elements together', 'a<b>b</b>c <i>d</i>', 'abc d'],
    ['sets table cells apart', '<table><tr><td>a<td>b<tr><td>c</table>', 'a b\nc'],
    ['keeps the lines of preformatted text', '<pre>a\n  b \n\nc</pre>d\ne', 'a\nb\nc\nd e'],
    ['keeps them between elements, too', '<pre><i>a</i>\n<i>b</i> <i>c\n</i>d</pre>', 'a\nb c\nd'],
    [
      'decodes references',
      '&lt;a&gt; &amp;amp; &copy &euro;&#8364;&#x20ac; &nope; &',
      '<a> &amp; © €€€ &nope; &',
    ],
    ['keeps characters of every length', 'é € \u{1F600} Â', 'é € \u{1F600} Â'],
    ['keeps a bracket that is none', 'a < b <3 c', 'a < b <3 c'],
    ['has no null characters', 'a\0b', 'a b'],
  ])('%s', (_, html, expected) => expect(text(html)).toBe(expected))

  it('is what a simple program would make of it, however it is cut into words and lines', () => {
    const pieces = new Map([
      ...[
        'a',
        'bc',
        'def',
        'é',
        'Â',
        '€',
        '\u{1F600}',
        '!',
        ' ',
        ' ',
        '  ',
        '\n',
        '\t',
        '\r\n',
        '\0',
        '\u00a0',
      ].map(piece => [piece, piece] as const),
      ...([
        ['&amp;', '&'],
        ['&nbsp;', ' '],
        ['&#32;', ' '],
        ['&lt;', '<'],
        ['<b>', ''],
        ['</b>', ''],
      ] as const),
    ])
    const source = fc.array(fc.constantFrom(...pieces.keys()), { maxLength: 120 })
    fc.assert(
      fc.property(source, parts => {
        const plain = parts.map(part => pieces.get(part)).join('')
        const expected = [...plain]
          .map(c => (c <= ' ' || c === '\u00a0' ? ' ' : c))
          .join('')
          .replace(/ +/g, ' ')
          .trim()
        expect(text(parts.join(''))).toBe(expected)
      }),
      { numRuns: 3_000, seed: 1 },
    )
  })

  it('leaves out what no one reads', () => {
    const html = `<head><title>no</title><style>no</style></head><script>no</script><noscript>no</noscript>a
      <template>no</template><svg><text>no</text></svg><select><option>no</select><textarea>no</textarea>
      <button>no</button><iframe>no</iframe><!-- no --><math><semantics><annotation>no</annotation></semantics></math>b`
    expect(text(html)).toBe('a b')
  })

  it('has formulas, part by part, without their annotations', () => {
    const half = '<math><mi>x</mi><mo>=</mo><mfrac><mn>1</mn><mn>2</mn></mfrac></math>'
    expect(text(`<p>Let ${half}.`)).toBe('Let x = 1 2.')
    expect(text(`<p>Let${half}<p>then`)).toBe('Let x = 1 2\nthen')
    const wiki =
      '<math alttext="no"><semantics><mrow><mi>&alpha;</mi><mo>&lt;</mo><msup><mi>b</mi><mn>2</mn></msup></mrow>' +
      '<annotation encoding="application/x-tex">{\\no}</annotation></semantics></math>'
    expect(text(`a ${wiki} c`)).toBe('a \u03b1 < b 2 c')
    expect(text('<template><math><mi>no</mi></math></template><svg><text>no</text></svg>a')).toBe('a')
    expect(text('<nav><math><mi>no</mi></math></nav><main>a <math><mi>y</mi></math></main>')).toBe('a y')
    expect(text('a <math><mtext>if <b>bold</b></mtext></math> b')).toBe('a if bold b')
    expect(text('a <math><mi>never closed')).toBe('a never closed')
  })

  it('leaves out menus, page headers, side bars and footers', () => {
    const html = `<header>no</header><nav>no<nav>no</nav>no</nav><div role=navigation>no<div>no</div>no</div><p>a</p>
      <aside>no</aside><menu>no</menu><section><header>b</header>c<footer>d</footer></section><footer>no</footer>`
    expect(text(html)).toBe('a\nb\nc\nd')
  })

  it('is that of main, where there is one', () => {
    expect(text('no<main>a<nav>no</nav><aside>no</aside><p>b</main>no')).toBe('a\nb')
    expect(text('no<div role="main">a<div>b</div>c</div><article>no</article>')).toBe('a\nb\nc')
  })

  it('is that of the articles, where there are some and no main', () => {
    expect(
      text('no<article>a<header>b</header></article>no<article>c<article>d</article>e</article>no'),
    ).toBe('a\nb\nc\nd\ne')
  })

  it('is all there is, where nothing else is left', () => {
    expect(text('<nav>a<p>b')).toBe('a\nb')
    expect(text('<main></main><p>a')).toBe('a')
    expect(text('<noscript>Turn scripts on</noscript>')).toBe('Turn scripts on')
  })

  it('is not led astray by what is inside a template or a picture', () => {
    expect(
      text('<template><nav><main></template><svg><title>no</title></svg><p>a<select><option>no</select>b'),
    ).toBe('a b')
  })

  it('comes back after a button that is never closed', () => {
    expect(text('<button>no<button>no</button>a')).toBe('a')
  })

  it('survives a menu that is never closed', () => {
    expect(text('<nav>no<main>a</main>')).toBe('a')
  })

  it('is found in pages that are handed over, too', () => {
    expect(text('<svg><div>a<p>b')).toBe('a\nb')
  })

  it.each([0, 1, 2])('is bounded, and ends with a whole character (%i bytes before the first)', offset => {
    text('x'.repeat(LIMITS.textBytes * 2))
    const html = 'a'.repeat(offset) + '\u20ac'.repeat(LIMITS.textBytes / 2)
    const result = text(html)
    expect(Buffer.byteLength(result)).toBeLessThanOrEqual(LIMITS.textBytes)
    expect(Buffer.byteLength(result)).toBeGreaterThan(LIMITS.textBytes - 3)
    expect(html.startsWith(result)).toBe(true)
  })

  it('is empty when nobody wants it', () => {
    const page = { url: 'http://h/', body: Buffer.from('<p>a'), contentType: 'text/html' }
    expect(parsePage({ ...page, wantText: false, wantRequisites: false }).text.length).toBe(0)
  })
})
