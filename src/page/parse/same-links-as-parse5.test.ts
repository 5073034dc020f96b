/**
 * The promise: the link set is parse5's, whatever the markup. The oracle below shares no code with the parser
 * under test but parse5 itself. `ORBWEAVER_FUZZ_RUNS=300000 npx vitest run src/parse/same-links` looks
 * longer.
 */
import fc from 'fast-check'
import { type DefaultTreeAdapterTypes, html, parse } from 'parse5'
import { describe, expect, it, vi } from 'vitest'
import { parsePage } from './parse-page.js'

// The same cases every time, unless someone looks for new ones.
const wanted = process.env.ORBWEAVER_FUZZ_RUNS
const FUZZ = wanted === undefined ? { numRuns: 12_000, seed: 1 } : { numRuns: Number(wanted) }
const PAGE = 'http://site.test/dir/page.html?q=1'
vi.setConfig({ testTimeout: wanted === undefined ? 300_000 : 24 * 3_600_000 })

type Element = DefaultTreeAdapterTypes.Element

function elementsOf(page: string): Element[] {
  const found: Element[] = []
  const waiting: DefaultTreeAdapterTypes.Node[] = [parse(page, { scriptingEnabled: false })]
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if ('tagName' in node) found.push(node)
    if ('childNodes' in node) waiting.push(...node.childNodes.toReversed())
  }
  return found
}

function attribute(element: Element, name: string): string | undefined {
  const own = element.attrs.find(a => a.name === name && (a.prefix ?? '') === '')
  return (own ?? element.attrs.find(a => a.name === name && a.prefix === 'xlink'))?.value
}

function words(element: Element, name: string): string[] {
  return (attribute(element, name) ?? '').toLowerCase().split(/[\t\n\f\r ]/)
}

function baseOf(elements: Element[]): string {
  const base = elements.find(
    e => e.tagName === 'base' && e.namespaceURI === html.NS.HTML && attribute(e, 'href') !== undefined,
  )
  try {
    const url = new URL(attribute(base!, 'href')!, PAGE)
    return /^(?:data|javascript):/.test(url.protocol) ? PAGE : url.href
  } catch {
    return PAGE
  }
}

const REFRESH =
  /^[\t\n\f\r ]*[\d.]+(?:[\t\n\f\r ]*[;,]|[\t\n\f\r ])[\t\n\f\r ]*(?:url[\t\n\f\r ]*=[\t\n\f\r ]*)?(.+)$/is

function* references(e: Element): Generator<[kind: string, href: string | undefined]> {
  const rel = words(e, 'rel')
  const nofollow = rel.includes('nofollow') ? ' nofollow' : ''
  switch (e.tagName) {
    case 'a':
    case 'area':
      yield [`anchor${nofollow}`, attribute(e, 'href')]
      break
    case 'iframe':
    case 'frame':
      yield ['frame', attribute(e, 'src')]
      break
    case 'link':
      if (rel.includes('stylesheet')) yield ['requisite', attribute(e, 'href')]
      else if (rel.some(word => ['canonical', 'next', 'prev', 'alternate'].includes(word)))
        yield [`related${nofollow}`, attribute(e, 'href')]
      else if (rel.includes('icon')) yield ['requisite', attribute(e, 'href')]
      break
    case 'meta': {
      const target = REFRESH.exec(attribute(e, 'content') ?? '')?.[1]
      if (attribute(e, 'http-equiv')?.toLowerCase() === 'refresh')
        yield ['refresh', target?.replace(/^(['"])(.*?)(?:\1.*)?$/s, '$2')]
      break
    }
    default:
      if (e.namespaceURI === html.NS.HTML) yield* requisites(e)
  }
}

function* requisites(e: Element): Generator<[kind: string, href: string | undefined]> {
  switch (e.tagName) {
    case 'img':
      for (const candidate of attribute(e, 'srcset')?.split(', ') ?? [])
        yield ['requisite', candidate.trim().split(/\s/)[0]]
      yield ['requisite', attribute(e, 'src')]
      break
    case 'script':
    case 'source':
    case 'audio':
    case 'track':
    case 'embed':
      yield ['requisite', attribute(e, 'src')]
      break
    case 'video':
      yield ['requisite', attribute(e, 'src')]
      yield ['requisite', attribute(e, 'poster')]
      break
    case 'input':
      if (attribute(e, 'type')?.toLowerCase() === 'image') yield ['requisite', attribute(e, 'src')]
      break
    case 'object':
      yield ['requisite', attribute(e, 'data')]
      break
  }
}

function oracle(page: string): Set<string> {
  const elements = elementsOf(page)
  const base = baseOf(elements)
  const found = new Set<string>()
  for (const element of elements)
    for (const [kind, href] of references(element)) {
      if (href === undefined || !URL.canParse(href, base)) continue
      const url = new URL(href, base)
      url.hash = ''
      url.username = ''
      url.password = ''
      if (/^https?:$/.test(url.protocol)) found.add(`${kind} ${url.href}`)
    }
  return found
}

const KINDS: Readonly<Record<number, string>> = {
  1: 'anchor',
  2: 'frame',
  4: 'refresh',
  8: 'related',
  16: 'requisite',
  65: 'anchor nofollow',
  72: 'related nofollow',
}

function scanned(body: Buffer, contentType = 'text/html; charset=utf-8'): string[] {
  const page = parsePage({ url: PAGE, body, contentType, wantText: true, wantRequisites: true })
  return page.links.map((url, i) => `${KINDS[page.kinds[i]!]} ${url}`)
}

function expectSameLinks(page: string): void {
  const body = Buffer.from(page)
  const links = scanned(body)
  expect(new Set(links).size).toBe(links.length)
  expect([...links].sort()).toEqual([...oracle(new TextDecoder().decode(body))].sort())
}

const TAGS = (
  'a a a a area b body br button caption center code col colgroup dd desc div dl dt em embed fieldset font foreignobject form ' +
  'frame frameset g h1 h2 head hr html i iframe image img input keygen legend li link listing main math meta mi mo mtext mglyph ' +
  'malignmark annotation-xml nav nobr noembed noframes noscript object ol optgroup option p param path plaintext pre rp rt ruby ' +
  's script section select small source span strong style sub svg table tbody td template textarea tfoot th thead title tr tt u ul ' +
  'use var video wbr xmp base bgsound basefont applet marquee sarcasm x-y lineargradient circle rect tspan text mrow semantics a1'
).split(' ')

// One fragment between two `¦`; each `§` becomes a number of its own, so that a lost or invented link shows.
const FRAGMENTS = [
  `<p ="x><a href=u§>">¦<p x= "><a href=u§>">¦<p x=y"><a href=u§>">¦</p ="><a href=u§>">¦<p x="y"z='>'=">">`,
  `<svg><title><g></title><style></svg><a href=u§></style>¦<math><mi><mrow></mi>¦<p a=b=c="><a href=u§>">`,
  `<a href="u§&num;f">¦<a href="u§&#35;f">¦<a href="u§?&#x;&#;&ampx=1&amp=2&AMP;&amp;amp;">¦<a href="u§#a&#38;b">`,
  `<a href="&#104;ttp&colon;&sol;/o.test/§">¦<a href="#&amp;">¦<a href="./u§">¦<a href="../u§">¦<a href="/u§">`,
  `<a href="?u§">¦<a href="http://site.test/u§">¦<a href=http://site.test>¦<a href="../../../u§">¦<a href=".">`,
  `<a href="..">¦<a href="/.">¦<a href="/%2e%2e/u§">¦<a href="u§?a=/../b:c">¦<a href="x/y:z§">¦<a href="y:z§">`,
  `<a href="u§&amp;x&#x3F;y">¦<a href="http://site.test/&amp;§?&amp;">¦<a href="./">¦<a href="../../?§">`,
  `<a href=u§>¦<a href="u§">x</a>¦<a href='u§'>¦<a href = u§ >¦<a href=u§/>¦<a/href=u§>¦<A HREF=U§>`,
  `<a\thref\n=\r"u§">¦<a href>¦<a href="">¦<a href=u§ href=v§>¦<a x="1"href=u§>¦<a "href=u§>¦<a =href=u§>`,
  `<a href=u§"x>¦<a href=\`u§\`>¦<a href="u§¦<a href='u§¦<a href=u§¦<a href¦<a ¦<a¦<¦</¦<!¦<?`,
  `<a href="u§&amp;b">¦<a href="u§&b=1&copy=2&copy;&lt">`,
  `<a href="?x&notit;&not;&#38;&#x26&#0;&#xD800;&#128;">¦<a href="u§\0x">¦<a href="u§\r\ny">¦<a\0 href=u§>`,
  `<a hr\0ef=u§>¦<a href="#top">¦<a href="http://o.test/#x">¦<a href="ü§">¦<a href=" u§ ">`,
  `<a href="javascript:x">¦<a href=//h§.test>¦<a rel=nofollow href=u§>¦<a rel="x UGC" href=u§>`,
  `<a data-href=u§>¦<a href="u§>">¦<a title='>' href=u§>¦<a title=">" href=u§>¦<a xlink:href=u§>¦<!-->`,
  `<!--->¦<!---->¦<!--¦-->¦--!>¦<!--x--!>¦<!--!>¦<!---!>¦<!-- <!-- -->¦<!--->-->¦<!-x>¦<!--<!-->`,
  `<!doctype html>¦<!DOCTYPE a ">">¦<![CDATA[¦]]>¦<![CDATA[<a href=u§>]]>¦<?xml >¦<?php "> ?>¦</ a>¦</>`,
  `</3>¦</a>¦</a href="x>y">¦</div "¦</p x='>'>¦</p>¦</br>¦</body>¦</html>¦</head>¦</table>¦</svg>¦</math>`,
  `<script>¦</script>¦</script/>¦</script x=">">¦</scriptx>¦<script src=u§>¦<script/>¦<script><!--`,
  `<!--<script>¦<script><!-- <script> </script> -->¦<script><!--<script></script>¦<script><!--></script>`,
  `<script><!-- --></script>¦<style>¦</style>¦<title>¦</title>¦<textarea>¦</textarea >¦<xmp>¦</xmp>`,
  `<iframe src=u§>¦</iframe>¦<noembed>¦</noembed>¦<noframes>¦</noframes>¦<noscript>¦</noscript>¦<plaintext>`,
  `<template>¦</template>¦<select>¦</select>¦<option>¦<optgroup>¦<input>¦<select><a href=u§>`,
  `<select><style>¦<select><script></select></script>¦<select><textarea>¦<frameset>¦</frameset>`,
  `<frame src=u§>¦<frameset><frame src=u§>¦<svg>¦<svg/>¦<svg><path/><g>¦<svg><title>¦<svg><style>`,
  `<svg><a href=u§>¦<svg><a xlink:href=u§>¦<svg><desc>¦<svg><foreignObject>¦<svg><script>¦<svg><![CDATA[`,
  `<path d=x/>¦<path />¦<math>¦<math><mi>¦<math><annotation-xml encoding="text/html">`,
  `<math><mtext><a href=u§>¦</mi>¦<mglyph>¦<font color=red>¦<image src=u§>`,
  `<img src=u§ srcset="v§ 1x, w§ 2x">¦<video src=u§ poster=v§>¦<object data=u§>¦<source src=u§>`,
  `<embed src=u§>¦<base href=b§/>¦<base>¦<base href="javascript:x">¦<base href="ftp://f/">`,
  `<base href="//[">¦<base target=x href="http://o.test/d/">¦<link rel=canonical href=u§>`,
  `<link rel="alternate stylesheet" href=u§>¦<link rel="NEXT" href=u§>¦<link href=u§>`,
  `<link rel=icon href=u§>¦<meta http-equiv=refresh content="0;url=u§">`,
  `<meta http-equiv=Refresh content="1, u§">¦<meta http-equiv=refresh content=5>`,
  `<meta http-equiv="&#114;efresh" content="0; URL = 'u§'x">¦<meta name=robots content=noindex>`,
  `<html lang=en>¦<head>¦<body>¦<table>¦<table><tr><td>¦<table><a href=u§>¦<tr>¦<td>¦<caption>¦<col>`,
  `<colgroup>¦<template><col>¦<tbody>¦</td>¦<b>¦</b>¦<i>¦<p>¦<div>¦</div>¦<li>¦<button>¦<form>¦</form>`,
  `<nobr>¦<a href=u§><div></a>¦<p><b><p>¦<hr>¦ ¦\n¦\r¦\0¦text¦&amp;¦&¦=¦"¦'¦/¦>¦/>¦--¦é¦\u{1F600}¦\ufeff¦]`,
  `!`,
].flatMap(line => line.split('¦'))

const tag = fc.oneof(
  fc.constantFrom(...TAGS).map(name => `<${name}>`),
  fc.constantFrom(...TAGS).map(name => `</${name}>`),
  fc.constantFrom(...TAGS).map(name => `<${name} href=u§ src=v§>`),
  fc.constantFrom(...TAGS).map(name => `<${name} href="u§" src='v§'/>`),
)
const fragment = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...FRAGMENTS) },
  { weight: 1, arbitrary: tag },
)

function numbered(text: string): string {
  let n = 0
  return text.replaceAll('§', () => String(++n))
}

const REALISTIC = numbered(`<!DOCTYPE html>
<html lang="en" class=no-js><head><meta charset="utf-8"><title>A &amp; B</title><link rel="canonical" href="/c§">
<link rel="stylesheet" href="/s§.css"><style>a > b { content: "</a>" }</style><base target=_top>
<script>var a = "<a href='no§'>"; if (a < b && c > d) document.write('<scr' + 'ipt>')</script>
<noscript><link rel=stylesheet href="/n§.css"></noscript></head>
<body><header><nav><ul><li><a href="/u§">One</a><li><a href='/u§'>Two</a><li><a href=/u§>Three</a></ul></nav></header>
<svg viewBox="0 0 1 1"><title>Icon</title><g><path d="M0 0"/><use xlink:href="#i"></use></g></svg>
<!-- <a href="/no§">commented</a> --><main><h1>Head</h1><p>Text <a href="u§?a=1&amp;b=2#x">link</a> and <b>bold <i>both</b></i>
<table><tr><td><a href="../u§">cell</a><td>x</table><form action=/no§><select name=s><option value=1>1<option>2</select>
<input type=image src=/i§><textarea><a href="/no§"></textarea></form><img src="/i§" alt="a > b"><br/>
<iframe src="/f§"><a href="/no§"></iframe><template><a href="/no§"></template><div role=navigation><a href=http://o.test/u§>o</a></div>
<math><mi>x</mi><mo>&lt;</mo></math><noscript><img src=/i§></noscript></main><footer><a rel="nofollow" href="/u§">f</a></footer>
<script>//<![CDATA[
x = "</" + "script>"; <!-- old --> //]]></script></body></html>`)

/** Cuts, doubles, moves and spoils pieces of a page. */
const edit = fc.record({
  at: fc.nat(10_000),
  length: fc.nat(40),
  what: fc.constantFrom('delete', 'double', 'insert', 'move', 'cut'),
  insert: fragment,
})
const mutated = fc.array(edit, { minLength: 1, maxLength: 8 }).map(edits => {
  let page = REALISTIC
  for (const { at, length, what, insert } of edits) {
    const i = at % (page.length + 1)
    const piece = page.slice(i, i + length)
    if (what === 'cut') page = page.slice(0, Math.max(i, 40))
    else if (what === 'insert') page = page.slice(0, i) + insert + page.slice(i)
    else if (what === 'double') page = page.slice(0, i) + piece + page.slice(i)
    else page = page.slice(0, i) + page.slice(i + length) + (what === 'move' ? piece : '')
  }
  return numbered(page)
})

describe('the link set equals that of parse5', () => {
  it('on pages made of nasty fragments', () => {
    const page = fc.array(fragment, { minLength: 1, maxLength: 14 }).map(parts => numbered(parts.join('')))
    fc.assert(fc.property(page, expectSameLinks), FUZZ)
  })

  it('on a realistic page, cut and spoiled', () => {
    expectSameLinks(REALISTIC)
    expect(oracle(REALISTIC).size).toBe(14)
    fc.assert(fc.property(mutated, expectSameLinks), { ...FUZZ, numRuns: FUZZ.numRuns / 2 })
  })

  it('on random characters that markup is made of', () => {
    const unit = fc.constantFrom(...'<<<>>>//!!--==""\'\'aaAhrefHREF srctitlebpsvgx \t\n\r\f\0&;#1?[]é')
    fc.assert(fc.property(fc.string({ unit, maxLength: 60 }), expectSameLinks), FUZZ)
  })

  it('on random bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), bytes => {
        const body = Buffer.concat([Buffer.from('<p><a href="x'), bytes])
        expect(new Set(scanned(body))).toEqual(oracle(new TextDecoder().decode(body)))
      }),
      { ...FUZZ, numRuns: FUZZ.numRuns / 2 },
    )
  })
})
