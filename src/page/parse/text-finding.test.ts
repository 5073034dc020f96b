/**
 * The promise: what `assembly/text.ts` makes of plain tags is what the scanner makes of them one by one. An
 * unquoted attribute sends a tag to the scanner, so every page can be written in both ways.
 */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parsePage } from './parse-page.js'

function parse(html: string) {
  const page = { url: 'http://h/d/', body: Buffer.from(html), contentType: 'text/html; charset=utf-8' }
  const { text, links, kinds } = parsePage({ ...page, wantText: true, wantRequisites: false })
  return { text: text.toString(), links, kinds: [...kinds] }
}

const text = (html: string) => parse(html).text
/** The same page with tags that only the scanner reads. */
const odd = (html: string) => html.replaceAll(/<\/?[a-zA-Z][^\t\n\f\r />]*/g, tag => `${tag} odd=1`)

describe('text is found', () => {
  it.each([
    [
      'on lines of their own around blocks, start and end',
      'a<p>b</p>c<LI>d<h6>e</h6>f<br>g',
      'a\nb\nc\nd\ne\nf\ng',
    ],
    ['a space apart around cells', 'a<td>b</td>c<th>d', 'a b c d'],
    [
      'together around other tags',
      'a<b>b</b>c<h7>d</h7>e<dx>f<blockquotes>g<pa>h<lineargradient>i',
      'abcdefghi',
    ],
    ['together around links', 'a<a href="x">b</a>c', 'abc'],
    ['a space apart where there are blanks', 'a <b>b</b>\n<i>\tc</i>', 'a b c'],
    ['with a bracket that is none', 'a<b>x < y <3 <</b>z', 'ax < y <3 <z'],
    ['before a tag that the page ends inside', 'a<p>b<p', 'a\nb'],
    ['before an end tag that the page ends inside', 'a<p>b </p class="x"', 'a\nb'],
    ['behind a tag that the page ends with', 'a<p>b<p>', 'a\nb'],
    [
      'with the lines of pre, and without those behind it',
      '<pre>a\n<b>b</b>\r<b>c</b> d</pre>e\nf',
      'a\nb\nc d\ne f',
    ],
    ['in pre between plain tags', '<PRE>a<b>\nb</b></PRE><b>c\nd</b>', 'a\nb\nc d'],
    ['outside of menus', '<nav><p>no<nav><p>no</nav><p>no</nav><p>a', 'a'],
    ['outside of elements whose role is a menu', '<ul role="navigation"><ul>no</ul>no</ul><ul>a</ul>', 'a'],
    ['outside of menus that are links', '<a role="navigation">no<a href="x">no</a>no</a>a', 'a'],
    ['in main', 'no<main><p>a<div>b</div></main><p>no', 'a\nb'],
    ['in an element whose role is main', 'no<div role="main">a<div>b</div>c</div><div>no</div>', 'a\nb\nc'],
    ['in articles', 'no<article><p>a</article><p>no', 'a'],
    ['around what is not HTML', 'a<svg>no</svg>b<!-- no -->c<?no?>d</>e', 'abcde'],
    ['under names that only look like those of tags', 'a<h\x11>b<p\x01>c<h\u00e9>d', 'abcd'],
  ])('%s', (_, html, expected) => {
    expect(text(html)).toBe(expected)
    expect(text(odd(html))).toBe(expected)
  })

  it('without a link that the page ends inside', () => {
    expect(parse("<p>a<a href='x")).toEqual({ text: 'a', links: [], kinds: [] })
  })

  it('and cut off nowhere, however many pieces and links stand in a row', () => {
    const words = Array.from({ length: 10_000 }, (_, n) => `w${n}`)
    expect(text(words.map(word => `<p>${word}`).join(''))).toBe(words.join('\n'))
    const page = parse(words.map(word => `<a href="${word}">${word}</a> `).join(''))
    expect(page.text).toBe(words.join(' '))
    expect(page.links).toEqual(words.map(word => `http://h/d/${word}`))
  })

  it('as it is tag by tag', () => {
    const name = fc.constantFrom(
      ...'a b p P li h1 h6 td tr br div DIV ul dl table pre main article section header nav menu button'.split(
        ' ',
      ),
      ...'span strong tbody sup dfn abbr form option blockquote figcaption custom-element-name'.split(' '),
    )
    const attributes = fc.constantFrom(
      ...[
        '',
        '',
        '',
        '',
        ' class="x"',
        ' id=\'y\' lang="z"',
        ' href="/u"',
        ' href="v" rel="nofollow"',
        ' hidden',
      ],
      ...[' role="main"', ' role="navigation"', ' ROLE="main"', '\nid="n"', '/', ' x=">" href="w"'],
    )
    const blank = fc.constantFrom('', ' ', '\n', ' \r\n', '\t')
    const piece = fc.oneof(
      { weight: 3, arbitrary: fc.tuple(name, attributes).map(([tag, rest]) => `<${tag}${rest}>`) },
      { weight: 3, arbitrary: name.map(tag => `</${tag}>`) },
      fc
        .tuple(blank, fc.constantFrom('', 'word', 'x < y', '<', '<3', '&amp;', 'é'), blank)
        .map(parts => parts.join('')),
      fc.constantFrom(
        '<!-- c -->',
        '<!doctype html>',
        '<select>',
        '</select>',
        '<svg>',
        '</svg>',
        '</>',
        '<p',
        '</p',
      ),
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 80 }), pieces => {
        const html = pieces.join('')
        expect(parse(html)).toEqual(parse(odd(html)))
      }),
      { numRuns: 4_000, seed: 1 },
    )
  })
})
