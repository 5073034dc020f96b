import { describe, expect, it } from 'vitest'
import { LIMITS, LinkKind } from '../../model/index.js'
import { parsePage } from './parse-page.js'

const URL = 'http://site.test/dir/page.html'

function parse(html: string, options: { url?: string; wantRequisites?: boolean } = {}) {
  const { url = URL, wantRequisites = false } = options
  const page = { url, body: Buffer.from(html), contentType: 'text/html; charset=utf-8' }
  return parsePage({ ...page, wantText: false, wantRequisites })
}

/** Links without what they all begin with. */
function links(html: string): string[] {
  return parse(html).links.map(link => link.replace('http://site.test/dir/', ''))
}

describe('links are found', () => {
  it.each([
    ['in quotes, single quotes and without', '<a href="a"><a href=\'b\'><a href=c>', ['a', 'b', 'c']],
    ['in tags of any case and spacing', '<A\n HREF = "a"\t><a\fhref\r=\rb ><a/href=c>', ['a', 'b', 'c']],
    [
      'behind values that hold brackets',
      '<a title=">" href=a><p title=\'<a href=no>\'><a href=b>',
      ['a', 'b'],
    ],
    ['by the first of two attributes', '<a href=a href=no>', ['a']],
    ['in unquoted values that hold quotes', '<a href=a"b><a href=c/>', ['a%22b', 'c/']],
    ['without a value', '<a href>', ['page.html']],
    ['after an attribute that begins with =', '<a =x href=a><a ="b>" href=c>', ['a']],
    [
      'behind quotes that open no value',
      '<p ="><a href=a>"><p x=y"><a href=b>"><p x= "><a href=no>"></p ="><a href=c>',
      ['a', 'b', 'c'],
    ],
    ['after a lone bracket', 'a < b <a href=a> <3 <a href=b> <', ['a', 'b']],
    [
      'after end tags with attributes',
      '</p title="<a href=no>"><a href=a></p x=\'>\'><a href=b>',
      ['a', 'b'],
    ],
    [
      'with a NUL at an end, which is U+FFFD, and without other controls',
      '<a href=a\0><a href="\0b"><a href="\x01c\x1f ">',
      ['a%EF%BF%BD', '%EF%BF%BDb', 'c'],
    ],
    ['in areas', '<map><area href=a></map>', ['a']],
    ['behind what closes wrongly', '</div></a></p></table><a href=a></b></i>', ['a']],
    ['after the end of the page', '</body></html><a href=a>', ['a']],
    [
      'in noscript: no script is run',
      '<head><noscript><a href=a></noscript></head><noscript><a href=b>',
      ['a', 'b'],
    ],
  ])('%s', (_, html, expected) => expect(links(html)).toEqual(expected))

  it.each([
    [
      'in comments of every form',
      '<!-- <a href=no> --><!--><a href=a><!---><a href=b><!--x--!><a href=c>',
      ['a', 'b', 'c'],
    ],
    [
      'in bogus comments',
      '<!x <a href=no><a href=a></ <a href=no><a href=b><?x <a href=no><a href=c>',
      ['a', 'b', 'c'],
    ],
    ['in CDATA that is none in HTML', '<![CDATA[<a href=no>]]><a href=a>', ['a']],
    ['in scripts', '<script>"<a href=no>"</script><a href=a>', ['a']],
    [
      'in escaped scripts',
      '<script><!-- <script> <a href=no></script> <a href=no> --></script><a href=a>',
      ['a'],
    ],
    ['in scripts that only look escaped', '<script><!--></script><a href=a></script>', ['a']],
    [
      'in raw text',
      '<style><a href=no></style><xmp><a href=no></xmp ><iframe><a href=no></iframe/><a href=a>',
      ['a'],
    ],
    [
      'in titles and text areas',
      '<title><a href=no></title><textarea></textareaa><a href=no></textarea><a href=a>',
      ['a'],
    ],
    ['in templates', '<template><a href=no><template></template><a href=no></template><a href=a>', ['a']],
    ['in select', '<select><a href=no><style><a href=no></select><a href=a>', ['a']],
    ['after plaintext', '<a href=a><plaintext><a href=no></plaintext><a href=no>', ['a']],
    ['in a tag that never ends', '<a href=a><a href="no', ['a']],
    ['in a frameset page', '<frameset><a href=no><noframes><a href=no></noframes>', []],
    ['in frames without a frameset', '<frame src=no>', []],
  ])('but not %s', (_, html, expected) => expect(links(html)).toEqual(expected))

  it('in svg and around it', () => {
    expect(links('<svg><path d="M0 0"/><title>t</title></svg><a href=a>')).toEqual(['a'])
    expect(links('<svg><a href=a></a><a xlink:href=b></a></svg>')).toEqual(['a', 'b'])
    expect(links('<svg><style><a href=a></style></svg>')).toEqual(['a'])
    expect(links('<svg><![CDATA[<a href=no>]]></svg><a href=a>')).toEqual(['a'])
    expect(links('<svg><script><a href=a></script></svg>')).toEqual(['a'])
    expect(links('<svg><title><g></title><style></svg><a href=no></style><a href=a>')).toEqual(['a'])
  })

  it('where the tree is not what it seems', () => {
    expect(links('<a href=a><frameset><frame src=b>')).toEqual(['b'])
    expect(links('x<a href=a><frameset><frame src=no>')).toEqual(['a'])
    expect(links('<template><a href=a><object></template>x')).toEqual(['a'])
  })
})

describe('a link', () => {
  it.each([
    ['?a=1&amp;b=2', '?a=1&b=2'],
    ['?a=1&b=2', '?a=1&b=2'],
    ['?copy=1&copy=2&copy;', '?copy=1&copy=2%C2%A9'],
    ['x&#47;y&#x2F;z&#0;', 'x/y/z%EF%BF%BD'],
    ['x&ltz', 'x&ltz'],
    ['x&num;fragment', 'x'],
    [' \n x \t', 'x'],
    ['ä', '%C3%A4'],
  ])('%j is decoded as an attribute', (href, expected) => {
    const { links: found } = parse(`<a href="${href}">`, { url: 'http://h/' })
    expect(found).toEqual([`http://h/${expected}`])
  })

  it('may hold null characters and line breaks', () => {
    expect(links('<a href="a\0b"><a href="c\r\nd">')).toEqual(['a%EF%BF%BDb', 'cd'])
  })

  it('that is not http is none', () => {
    expect(
      links('<a href="mailto:a@b"><a href="javascript:x"><a href="ftp://h/"><a href="http://">'),
    ).toEqual([])
  })

  it('loses its fragment, and is there once', () => {
    expect(
      links('<a href=a#1><a href=a#2><a href=./a><a href=/dir/a><a href=http://site.test/dir/a>'),
    ).toEqual(['a'])
    expect(links('<a href=#x><a href=""><a href=page.html>')).toEqual(['page.html'])
  })

  it('is there once for each kind', () => {
    const page = parse(
      '<a href=a><a href=a rel=nofollow><iframe src=a></iframe><a href=a><a rel=nofollow href=a>',
    )
    expect([...page.kinds]).toEqual([1, 65, 2])
  })
})

describe('the kind of a link', () => {
  it.each([
    ['<a href=a>', LinkKind.anchor],
    ['<area href=a>', LinkKind.anchor],
    ['<a rel="external NoFollow" href=a>', LinkKind.anchor | LinkKind.nofollow],
    ['<a rel="&#110;ofollow" href=a>', LinkKind.anchor | LinkKind.nofollow],
    ['<a rel="ugc sponsored" href=a>', LinkKind.anchor],
    ['<iframe src=a>', LinkKind.frame],
    ['<frameset><frame src=a>', LinkKind.frame],
    ['<meta http-equiv=refresh content="3;url=a">', LinkKind.refresh],
    ['<link rel=canonical href=a>', LinkKind.related],
    ['<link rel=next href=a>', LinkKind.related],
    ['<link rel=prev href=a>', LinkKind.related],
    ['<link rel="alternate" hreflang=de href=a>', LinkKind.related],
    ['<link rel="alternate nofollow" href=a>', LinkKind.related | LinkKind.nofollow],
  ])('%s', (html, kind) => {
    const page = parse(html)
    expect([page.links, [...page.kinds]]).toEqual([['http://site.test/dir/a'], [kind]])
  })

  it('is refresh for where a Refresh header leads, from the page or its base', () => {
    for (const [html, found] of [
      ['<p>', 'http://site.test/dir/a'],
      ['<base href=/b/>', 'http://site.test/b/a'],
    ] as const) {
      const request = { url: URL, body: Buffer.from(html), contentType: 'text/html', refresh: '0; URL="a"' }
      const page = parsePage({ ...request, wantText: false, wantRequisites: false })
      expect([page.links, [...page.kinds]]).toEqual([[found], [LinkKind.refresh]])
    }
  })

  it('is requisite for what the page is made of, and only when asked for', () => {
    const html = `<link rel=stylesheet href=1><link rel="alternate stylesheet" href=2><link rel=icon href=3>
      <script src=4></script><img src=5 srcset="6 1x, 7,8 2x,9"><video src=10 poster=11><source src=12><track src=13></video>
      <audio src=14></audio><embed src=15><object data=16></object><image src=17><input type=IMAGE src=18><input src=no>
      <link rel=preload as=image href=19 imagesrcset="20 1x"><svg><image src=no></image></svg>`
    const page = parse(html, { wantRequisites: true })
    const names = page.links.map(link => link.slice('http://site.test/dir/'.length))
    expect(names.toSorted()).toEqual(
      [
        '1',
        '2',
        '3',
        '4',
        '5',
        '6',
        '7,8',
        ...Array.from({ length: 12 }, (_, i) => String(i + 9)),
      ].toSorted(),
    )
    expect(new Set(page.kinds)).toEqual(new Set([LinkKind.requisite]))
    expect(parse(html).links).toEqual([])
  })
})

describe('<base>', () => {
  it.each([
    ['<a href=a><base href=/b/>', 'http://site.test/b/a'],
    ['<base href="http://o.test/x/y"><a href=a>', 'http://o.test/x/a'],
    ['<base><base target=x><base href=/b/><base href=/c/><a href=a>', 'http://site.test/b/a'],
    ['<base href="javascript:x"><a href=a>', 'http://site.test/dir/a'],
    ['<base href="data:,x"><base href=/b/><a href=a>', 'http://site.test/dir/a'],
    ['<base href="http://["><a href=a>', 'http://site.test/dir/a'],
    ['<template><base href=/b/></template><a href=a>', 'http://site.test/dir/a'],
    ['<svg><base href=/b/></svg><a href=a>', 'http://site.test/dir/a'],
    ['<base href="ftp://f/"><a href=a><a href="http://o.test/">', 'http://o.test/'],
    ['<base href="mailto:x"><a href=a><a href="http://o.test/">', 'http://o.test/'],
    ['<base href="http://u:p@o.test/d/#f"><a href=a>', 'http://o.test/d/a'],
  ])('%s', (html, expected) => expect(parse(html).links).toEqual([expected]))

  it('that is nested in a table counts in the order of the tree', () => {
    expect(parse('<table><tr><td><base href=/b/></td></tr><base href=/c/></table><a href=a>').links).toEqual([
      'http://site.test/c/a',
    ])
  })

  it('longer than a URL may be is ignored', () => {
    expect(parse(`<base href="/${'x/'.repeat(LIMITS.urlChars)}"><a href=a>`).links).toEqual([
      'http://site.test/dir/a',
    ])
  })
})

describe('plain anchors', () => {
  const body = (html: string) => ({ url: URL, body: Buffer.from(html), contentType: 'text/html' })

  it.each([true, false])(
    'with an absurdly long href are no links, their neighbours are (text: %s)',
    wantText => {
      const longest = 'x'.repeat(LIMITS.attributeBytes)
      const html = `<a href="a">a</a><a href="${longest}">b</a><a href="${longest}x">c</a><a href="d">d</a>`
      const { links } = parsePage({ ...body(html), wantText, wantRequisites: false })
      expect(links.map(link => link.length - 'http://site.test/dir/'.length)).toEqual([1, longest.length, 1])
    },
  )

  it.each([true, false])('are all found, however many, in their order (text: %s)', wantText => {
    const names = Array.from({ length: 5_000 }, (_, i) => `p${i}`)
    const html = names
      .map((name, i) => `<a ${i % 3_000 === 0 ? 'rel="x" ' : ''}href="${name}">${name}</a>`)
      .join(' ')
    const { links } = parsePage({ ...body(html), wantText, wantRequisites: false })
    expect(links).toEqual(names.map(name => `http://site.test/dir/${name}`))
  })
})
