/**
 * Documents that no author would write, the same for the same seed: pieces of markup in any order, given
 * documents cut, spliced and damaged, and random bytes; with headers that fit them or do not.
 */
import { SeededRandom } from '../../src/model/index.js'
import { normaliseUrl } from '../../src/model/url/index.js'
import type { Answer } from './page-path.js'

/** Each has been the trouble of some parser. `~` stands for a number, `^` for a word; `¦` ends a piece. */
const PIECES: readonly string[] = pieces(`
<a href="~">¦<a rel="&#x~;" href=^>¦<a href='//^.test:~/?^=~#~'>¦<a href=http://[::~]/^>¦<a href=^ href=~>¦</a>¦
<title>^</title>¦<title>&#~;¦<base href="^/">¦<link rel=canonical href=~>¦<html lang="&^;">¦<body>¦</body>¦
<meta charset=^>¦<meta charset=utf-16le>¦<meta http-equiv=refresh content="~;url=^">¦<meta charset¦</html>¦
<meta name=robots content="noarchive, unavailable_after: ~">¦<meta name=description content="&#~;^">¦
<meta http-equiv=content-type content="text/html;charset">¦<img srcset="^ 1x, ~ 2x,,">¦<img src=data:^>¦
<svg><desc><i></i>¦<svg><a xlink:href=~>¦</svg>¦<math><mi><a href=^>¦<template><a href=~>¦</template>¦
<select><option>^¦<table><tr><td>¦<table><a>¦</table>¦<script>^<!--<script>¦</script>¦<style>^¦</style>¦
<textarea>¦<plaintext>¦<noscript><a href=~>¦<iframe src="^?~">¦<frameset><frame src=~>¦<main>^¦<article role=main>¦
<nav>¦<pre>\n^¦</pre>¦<ol start=~><li>¦<ul><li>^¦<blockquote>¦<code>\`^¦<h1>^</h1>¦<p hidden>^¦<br>¦<hr>¦
<!--¦-->¦--!>¦<!doctype ^>¦<![CDATA[^]]>¦<?xml version="1.0" encoding="^"?>¦<?^¦</ >¦<a/href=^/>¦<a href¦<a =^>¦
&amp¦&notin;¦&#x~¦&#¦&#xD800;¦&#1114112;¦&NotNestedGreaterGreater;¦&^;¦\0¦\r\n¦\t¦\f¦"¦'¦>¦<¦&¦
%zz%00%~¦http://^¦HTTP:\\\\^¦javascript:^¦http://user:~@^.test¦http://xn--^¦http://1.~¦../../^¦?^&^=~;¦
/2026/~/~/¦/page/~/page/~¦?sessionid=~¦?PHPSESSID=^~&^¦lorem ipsum dolor ¦übergrößenträger ¦日本語 ¦😀¦
<urlset><url><loc>http://site.test/~</loc>¦<sitemapindex><sitemap><loc>^¦<rss><channel><item><link>^</link>¦
<feed><entry><link href=~>¦User-agent: *\nDisallow: /^*~$\n¦Sitemap: ^\n¦Crawl-delay: ~\n¦`)
/** Marks of encodings, and bytes that are wrong in some of them. */
const BYTES: readonly Buffer[] = [
  ...['efbbbf', 'fffe', 'feff', '1b2442', '1b284a', 'eda080', 'f4908080', 'c080', '1f8b0800', '81', '0000'],
].map(bytes => Buffer.from(bytes, 'hex'))
const TYPES: readonly string[] = pieces(`
text/html¦text/html¦text/html; charset=utf-8¦text/html; charset=windows-1252¦text/html;charset="^"¦
text/html; charset=iso-2022-jp¦text/html; charset=utf-16be¦text/html; charset=gb18030¦image/svg+xml¦^/^;^¦
text/html; charset=x-user-defined¦application/xhtml+xml¦application/xml¦text/xml; charset=shift_jis¦text/plain¦`)
const HEADERS: readonly string[] = pieces(`
X-Robots-Tag: ^: ~, none¦X-Robots-Tag: unavailable_after: ~¦Refresh: ~; url="^¦ETag: "^~¦Last-Modified: ~¦
Content-Language: ^¦Link: <^>; rel=canonical¦Content-Encoding: ^¦Retry-After: ~¦Location: //^:~/¦Location: ^¦`)
const WORDS: readonly string[] = ['a', 'index.html', 'utf-8', 'ab%20c', 'ß', 'É', 'nofollow', ' ', '.', '']
const ODD_STATUS: readonly number[] = [203, 206, 301, 302, 308, 404, 410, 500]
const LONGEST_BYTES = 8_192

export class OddDocuments {
  readonly #random: SeededRandom
  readonly #given: readonly Buffer[]
  #count = 0

  /** `given` are documents to damage, besides those made here. */
  constructor(seed: number, given: readonly Buffer[] = []) {
    this.#random = new SeededRandom(seed)
    this.#given = given
  }

  next(): Answer {
    const body = this.#body()
    const headers = this.#chance(0.1) ? [] : [`Content-Type: ${this.#text(this.#one(TYPES))}`]
    while (this.#chance(0.2)) headers.push(this.#text(this.#one(HEADERS)))
    const path = this.#chance(0.3) ? this.#text('^/~?^=~') : ''
    return {
      url: normaliseUrl(`http://site.test/d${path}/${++this.#count}`) ?? 'http://site.test/odd',
      status: this.#chance(0.05) ? this.#one(ODD_STATUS) : 200,
      headers,
      body,
      isSitemap: this.#chance(0.04),
    }
  }

  #body(): Buffer {
    const roll = this.#random.next()
    if (roll < 0.1) return Buffer.from(this.#random.bytes(this.#below(400)))
    if (roll < 0.4 || this.#given.length === 0) return this.#damaged(this.#made(1 + this.#below(30)))
    return this.#damaged(this.#cut(this.#one(this.#given)))
  }

  /** Of a long document some part, so that a million of them take minutes. */
  #cut(document: Buffer): Buffer {
    if (document.length <= LONGEST_BYTES) return document
    const from = this.#chance(0.5) ? 0 : this.#below(document.length)
    return document.subarray(from, from + 1 + this.#below(LONGEST_BYTES))
  }

  #made(pieces: number): Buffer {
    let text = ''
    for (let i = 0; i < pieces; i++) text += this.#text(this.#one(PIECES))
    return Buffer.from(text)
  }

  #damaged(document: Buffer): Buffer {
    let bytes = document
    while (this.#chance(0.6)) {
      const at = this.#below(bytes.length + 1)
      const take = this.#chance(0.5) ? 0 : this.#below(20)
      const put = this.#put()
      const times = this.#chance(0.03) ? 1 + this.#below(300) : 1
      bytes = Buffer.concat([
        bytes.subarray(0, at),
        ...Array<Buffer>(times).fill(put),
        bytes.subarray(at + take),
      ])
    }
    return bytes
  }

  #put(): Buffer {
    const roll = this.#random.next()
    if (roll < 0.3) return Buffer.from(this.#random.bytes(this.#below(8)))
    if (roll < 0.5) return this.#one(BYTES)
    if (roll < 0.6 && this.#given.length > 0) {
      const other = this.#one(this.#given)
      const from = this.#below(other.length)
      return other.subarray(from, from + this.#below(300))
    }
    return this.#made(1 + this.#below(3))
  }

  #text(pattern: string): string {
    return pattern.replaceAll(/[~^]/g, mark => (mark === '~' ? this.#number() : this.#word()))
  }

  /** Of any length, with zeros in front or digits of any base. */
  #number(): string {
    const digit = this.#one(['0', '1', '9', 'f'])
    const length = this.#chance(0.05) ? this.#below(500) : this.#below(6)
    return digit.repeat(length) + String(this.#below(100_000))
  }

  #word(): string {
    if (this.#chance(0.05)) return String.fromCodePoint(this.#below(0x11_0000))
    if (this.#chance(0.2)) return 'x'.repeat(1 + this.#below(60))
    return this.#one(WORDS)
  }

  #below(bound: number): number {
    return Math.floor(this.#random.next() * bound)
  }

  #chance(part: number): boolean {
    return this.#random.next() < part
  }

  #one<T>(list: readonly T[]): T {
    return list[this.#below(list.length)]!
  }
}

function pieces(text: string): string[] {
  return text.slice(1, -1).split(/¦\n?/)
}
