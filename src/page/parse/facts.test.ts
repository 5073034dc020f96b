import { describe, expect, it } from 'vitest'
import { LIMITS, type ParsedPage } from '../../model/index.js'
import { parsePage } from './parse-page.js'

function parse(html: string): ParsedPage {
  const page = { url: 'http://site.test/dir/page', body: Buffer.from(html), contentType: 'text/html' }
  return parsePage({ ...page, wantText: false, wantRequisites: false })
}

/** Makes the scanner hand the page over without changing what it says. */
const ODD = '<svg><desc><i></i></desc></svg>'

describe.each([
  ['scanned', ''],
  ['parsed fully', ODD],
])('a page that is %s', (_, odd) => {
  it('has the first title, decoded, on one line', () => {
    expect(
      parse(`<svg><title>no</title></svg>${odd}<title>\n A &amp; B\t&lt;b&gt; </title><title>no`).title,
    ).toBe('A & B <b>')
    expect(parse(`${odd}<title></title><title>no</title>`).title).toBe('')
    expect(parse(`<template><title>no</title></template>${odd}<title>yes</title>`).title).toBe('yes')
  })

  it('has a description', () => {
    expect(parse(`${odd}<meta name=Description content=" a\n b ">`).description).toBe('a b')
    expect(
      parse(`${odd}<meta name=description content=a><meta name=description content=b>`).description,
    ).toBe('a')
  })

  it('has a language: that of the html tag, else that of a meta', () => {
    const meta = '<meta http-equiv=Content-Language content=fr>'
    expect(parse(`<html lang=" de-AT ">${meta}${odd}`).language).toBe('de-AT')
    expect(parse(`<html>${meta}${odd}`).language).toBe('fr')
    expect(parse(`<p>${odd}<html lang=it>`).language).toBe('it')
    expect(parse(`<html xml:lang=pt>${odd}`).language).toBe('pt')
  })

  it('has a canonical URL', () => {
    expect(parse(`${odd}<link rel=canonical href="../c#x">`).canonical).toBe('http://site.test/c')
    expect(
      parse(`${odd}<base href=/b/><link rel="x CANONICAL" href=c><link rel=canonical href=d>`).canonical,
    ).toBe('http://site.test/b/c')
    expect(parse(`${odd}<link rel=canonical href="mailto:x">`).canonical).toBe('')
  })

  it('has the robots rules that are meant for all and for us', () => {
    const html = `<meta name=ROBOTS content="NoIndex, nofollow"><meta name=googlebot content=none>
      <meta name=orbweaver content=" NOARCHIVE ">${odd}`
    expect(parse(html).robots).toBe('noindex, nofollow,noarchive')
  })
})

describe('meta refresh', () => {
  it.each([
    ['0;url=a', 'a'],
    ['0; URL = "a" b', 'a'],
    ["5,'a'", 'a'],
    ['5 a', 'a'],
    ['  .5;url=a', 'a'],
    ['1.2.3; a', 'a'],
    ['0;url', 'url'],
    ['0;urla', 'urla'],
    ['0;"a', 'a'],
  ])('%j leads to %j', (content, expected) => {
    const { links } = parse(`<meta http-equiv=refresh content='${content.replaceAll("'", '&#39;')}'>`)
    expect(links).toEqual([`http://site.test/dir/${expected}`])
  })

  it.each(['', '5', '5;', 'a', '5a', ';url=a', '-1;url=a', '5 '])('%j leads nowhere', content => {
    expect(parse(`<meta http-equiv=refresh content="${content}">`).links).toEqual([])
  })
})

describe('what a page says of itself is bounded', () => {
  it('whatever its length', () => {
    const long = 'x\u{1F600}'.repeat(20_000)
    const page =
      parse(`<html lang="${'x'.repeat(9_999)}"><title>${long}</title><meta name=description content="${long}">
      ${'<meta name=robots content=noindex>'.repeat(1_000)}`)
    expect(page.title.length).toBeLessThanOrEqual(LIMITS.titleChars)
    expect(Buffer.from(page.title).toString()).toBe(page.title)
    expect(page.description.length).toBeLessThanOrEqual(LIMITS.descriptionChars)
    expect(Buffer.from(page.description).toString()).toBe(page.description)
    expect(page.language.length).toBeLessThanOrEqual(LIMITS.languageChars)
    expect(page.robots.length).toBeLessThanOrEqual(LIMITS.robotsMetaChars)
  })

  it('when the title is never closed', () => {
    expect(parse(`<title>a${' b'.repeat(100_000)}`).title.length).toBeLessThanOrEqual(LIMITS.titleChars)
  })
})
