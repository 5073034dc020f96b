import { describe, expect, it } from 'vitest'
import { rewriteCss } from './rewrite-css.js'
import { rewriteHtml } from './rewrite-html.js'
import { rewriteSrcset } from './rewrite-srcset.js'

const PAGE = 'http://a.test/dir/page'
const IN_FOLDER: Readonly<Record<string, string>> = {
  'http://a.test/': '../index.html',
  'http://a.test/dir/b': 'b.html',
  'http://a.test/s.css': '../s.css',
  'http://a.test/i.png': '../i.png',
  'http://b.test/x?q=1': '../../b.test/x%40q%3D1.html',
}
const relink = (url: string) => IN_FOLDER[url] ?? null
const rewrite = (html: string) => rewriteHtml(html, PAGE, relink)

describe('links of an exported page', () => {
  it.each([
    ['<a href="b">', '<a href="b.html">'],
    ['<a href=/>', '<a href="../index.html">'],
    ['<a href="b#part">', '<a href="b.html#part">'],
    ["<a href='http://b.test/x?q=1' id=k>", '<a href="../../b.test/x%40q%3D1.html" id=k>'],
    ['<a href="/not-there?a=1&amp;b=2">', '<a href="http://a.test/not-there?a=1&amp;b=2">'],
    ['<a href="//c.test/x">', '<a href="http://c.test/x">'],
    ['<area href="/">', '<area href="../index.html">'],
    ['<iframe src="b"></iframe>', '<iframe src="b.html"></iframe>'],
    ['<link rel=stylesheet href="/s.css">', '<link rel=stylesheet href="../s.css">'],
    ['<script src="/s.css"></script>', '<script src="../s.css"></script>'],
    ['<img src=" /i.png " alt="x">', '<img src="../i.png" alt="x">'],
    ['<img srcset="/i.png 1x, /j.png 2x">', '<img srcset="../i.png 1x, http://a.test/j.png 2x">'],
    ['<video poster="/i.png"></video>', '<video poster="../i.png"></video>'],
    ['<p style="background:url(/i.png)">', '<p style="background:url(&quot;../i.png&quot;)">'],
    ['<style>p{background:url(/i.png)}</style>', '<style>p{background:url("../i.png")}</style>'],
    ['<meta http-equiv=Refresh content="5; url=b">', '<meta http-equiv=Refresh content="5; url=b.html">'],
    ['<svg><use xlink:href="/i.png#a"/></svg>', '<svg><use xlink:href="../i.png#a"/></svg>'],
    [
      '<svg><a xlink:href="b"><text>b</text></a></svg>',
      '<svg><a xlink:href="b.html"><text>b</text></a></svg>',
    ],
    ['<svg><image xlink:href=/i.png /></svg>', '<svg><image xlink:href="../i.png" /></svg>'],
    ['<svg><feImage href="/i.png"/></svg>', '<svg><feImage href="../i.png"/></svg>'],
    ['<svg><script xlink:href="/s.css"/></svg>', '<svg><script xlink:href="../s.css"/></svg>'],
    ['<noscript><img src="/i.png"></noscript>', '<noscript><img src="../i.png"></noscript>'],
    ['<template><a href="b"></a></template>', '<template><a href="b.html"></a></template>'],
    [
      '<table><a href="b">moved by the parser</a></table>',
      '<table><a href="b.html">moved by the parser</a></table>',
    ],
  ])('%s', (html, expected) => {
    expect(rewrite(html)).toBe(expected)
  })

  it.each([
    '<a href="#top">',
    '<a href="mailto:me@a.test">',
    '<a href="javascript:void(0)">',
    '<a href="">',
    '<img src="data:image/png;base64,AAAA">',
    '<a href="http://">',
    '<!-- <a href="b"> -->',
    '<script>var x = \'<a href="b">\'</script>',
    '<textarea><a href="b"></textarea>',
  ])('leaves what is not one: %s', html => {
    expect(rewrite(html)).toBe(html)
  })

  it('are found by the URL they were asked for, in the encoding of the page', () => {
    const folder = (url: string) => (url === 'http://a.test/dir/q?x=%E9' ? 'q.html' : null)
    expect(rewriteHtml('<a href="q?x=é#é">', PAGE, folder, 'windows-1252')).toBe('<a href="q.html#é">')
    expect(rewriteHtml('<a href="q?x=é">', PAGE, folder)).toBe('<a href="http://a.test/dir/q?x=%C3%A9">')
  })

  it('counts from <base>, wherever it stands, and takes it out', () => {
    expect(rewrite('<a href="x?q=1">1</a><base href="http://b.test/"><base href="http://c.test/">')).toBe(
      '<a href="../../b.test/x%40q%3D1.html">1</a>',
    )
  })

  it('takes out what would stop the browser in a folder', () => {
    const html =
      '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'">' +
      '<script src="/s.css" integrity="sha256-x" crossorigin></script>'
    expect(rewrite(html)).toBe('<script src="../s.css"  ></script>')
  })

  it('keeps everything else to the letter', () => {
    const html = '<!DOCTYPE html>\r\n<HTML><p CLASS=x>a &amp b<P>é<br/></b></i><A HREF=b>x</a>\0'
    expect(rewrite(html)).toBe(html.replace('HREF=b', 'href="b.html"'))
  })

  it('gives up on pages built to be endless work', () => {
    expect(rewrite('<div>'.repeat(50_000))).toBeNull()
    expect(rewrite('<p>'.repeat(500_000))).toBeNull()
    expect(rewrite(`<table>${'<a href=b>x</a><tr>'.repeat(60_000)}`)).toBeNull()
  })
})

describe('URLs of a style sheet', () => {
  const change = (url: string) => (url.startsWith('data:') ? null : `<${url}>`)

  it.each([
    ['a{b:url(x)}', 'a{b:url("<x>")}'],
    ['a{b:url( "x" )}', 'a{b:url( "<x>" )}'],
    ["@import 'x' screen;", '@import "<x>" screen;'],
    ['@import url(x);', '@import url("<x>");'],
    ['a{b:url(x),url(y)}', 'a{b:url("<x>"),url("<y>")}'],
    ['@font-face{src:URL(x)format("woff")}', '@font-face{src:URL("<x>")format("woff")}'],
  ])('%s', (css, expected) => {
    expect(rewriteCss(css, change)).toBe(expected)
  })

  it.each([
    '/* url(x) */',
    'a{content:"url(x)"}',
    'a{b:url(data:x)}',
    'a{b:url()}',
    'a{b:url("x\\"y")}',
    'a{b:"',
    '/*',
  ])('leaves %s', css => {
    expect(rewriteCss(css, change)).toBe(css)
  })

  it('takes time in proportion to the sheet', () => {
    for (const hostile of ['"\\"', 'url(', 'url( ', '/*', '@import ', "'", 'url("'])
      expect(rewriteCss(hostile.repeat(300_000), () => null)).toHaveLength(hostile.length * 300_000)
  })
})

describe('a srcset', () => {
  it.each([
    ['a 1x,b 2x', '<a> 1x,<b> 2x'],
    ['a, b', '<a>, <b>'],
    [' a ', ' <a> '],
    ['a 100w (x,y), b', '<a> 100w (x,y), <b>'],
    ['a,,b', '<a,,b>'],
    ['a,', '<a>,'],
    ['', ''],
    [',', ','],
  ])('%s', (srcset, expected) => {
    expect(rewriteSrcset(srcset, url => `<${url}>`)).toBe(expected)
  })
})
