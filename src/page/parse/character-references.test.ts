/**
 * Numeric character references of any length: a decoder that computes with their digits overflows to NaN and
 * throws.
 */
import { parseFragment } from 'parse5'
import { describe, expect, it } from 'vitest'
import { parsePage } from './parse-page.js'

const REFERENCES = [
  ['hexadecimal zeros', `&#x${'0'.repeat(256)};`],
  ['decimal zeros', `&#${'0'.repeat(400)};`],
  ['zeros before a letter', `&#x${'0'.repeat(256)}41;`],
  ['hexadecimal digits', `&#x${'f'.repeat(256)};`],
  ['decimal digits', `&#${'9'.repeat(400)};`],
  ['digits without an end', `&#x${'0'.repeat(300)}`],
] as const

/** Makes the scanner hand the page over to the full parser. */
const ODD = '<svg><desc><i></i></desc></svg>'

function parse(html: string) {
  const page = { url: 'http://site.test/', body: Buffer.from(html), contentType: 'text/html' }
  return parsePage({ ...page, wantText: true, wantRequisites: true })
}

describe.each(REFERENCES)('a character reference of %s', (_, reference) => {
  const [node] = parseFragment(reference).childNodes
  const character = node !== undefined && 'value' in node ? node.value : ''

  it.each(['', ODD])('stands for one character in title and attributes', odd => {
    const { title, description, links, language } = parse(
      `<html lang="a${reference}"><title>a${reference}</title><meta name=description content="a${reference}">` +
        `${odd}<a rel="${reference}" href=x>x</a><a href="y?${reference}z">y</a><img srcset="${reference} 1x">`,
    )
    expect(title).toBe(`a${character}`)
    expect(description).toBe(`a${character}`)
    expect(language).toBe(`a${character}`)
    expect(links).toContain('http://site.test/x')
    expect(links).toContain(new URL(`y?${character}z`, 'http://site.test/').href)
  })

  it('leaves the text of the page readable', () => {
    expect(parse(`<p>before ${reference} <b>after</b>`).text.toString()).toMatch(/^before .*after$/)
  })
})
