/**
 * Random bytes, and real inputs with random damage, at everything that reads what a server sends. A crash is
 * a throw; a hang is this file not ending.
 */
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fetchLimits } from '../../src/model/index.js'
import { normaliseUrl } from '../../src/model/url/index.js'
import { BodyBudget, ContentDecoder } from '../../src/page/fetch/body/index.js'
import { ResponseReader } from '../../src/page/fetch/http/index.js'
import { parsePage } from '../../src/page/parse/index.js'
import { RobotsRules } from '../../src/page/robots/index.js'

const HTML = `<!doctype html><html lang=en><head><meta charset=utf-8><title>A page &amp; more</title>
<base href="/b/"><link rel=canonical href=c><meta name=robots content="noindex, nofollow">
<style>p{color:red}</style><script>if (1 < 2) document.write("<a href=x>")</script></head>
<body><table><tr><td><a href="one?a=1&amp;b=2#f">One</a><svg><a xlink:href="two"/></svg></table>
<select><option>a<template><a href=t></template></select><textarea><a href=no></textarea>
<img srcset="a.png 1x, b.png 2x" src='c.png'><!-- <a href=gone> --><iframe src=//other.test/></iframe>
<noscript><a href=n></noscript><math><mi><a href=m></mi></math><plaintext><a href=never>`
const ROBOTS = `\ufeffUser-agent: *\nDisallow: /private/\nAllow: /private/open$\nDisallow: /*.gif$\nCrawl-delay: 1.5
User-agent: Orbweaver\nUser-agent: other/2\nDisallow: /%7Euser/*/x\nAllow: /\r\n# comment\nSitemap: http://h.test/s.xml
useragent: bad\ndissallow /a*b*c*d\nNoindex: /n\n`
const HEAD = `HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Type: text/html; charset="utf-8"\r\n
X-Folded: a\r\n  b\r\nno colon here\r\nSet-Cookie: a=b\r\nTransfer-Encoding: gzip, chunked\r\nConnection: keep-alive\r\n\r\n`
const CHUNKED = `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;x=y\r\nhello\r\nA\r\n0123456789\r\n0\r\nT: r\r\n\r\n`
const LENGTH = 'HTTP/1.0 404 Not Found\nContent-Length: 5, 5\nConnection: keep-alive\n\nhello, and more'

type Damage = { readonly at: number; readonly take: number; readonly put: Uint8Array; readonly times: number }

const damage: fc.Arbitrary<Damage> = fc.record({
  at: fc.nat(),
  take: fc.nat({ max: 20 }),
  put: fc.uint8Array({ maxLength: 8 }),
  times: fc.constantFrom(1, 1, 1, 2, 300),
})

/** One of the inputs with some damage, or bytes that never were anything. */
function damaged(...inputs: readonly (string | Buffer)[]): fc.Arbitrary<Buffer> {
  const real = fc
    .tuple(fc.constantFrom(...inputs), fc.array(damage, { maxLength: 6 }))
    .map(([input, damages]) => {
      let bytes: Buffer = typeof input === 'string' ? Buffer.from(input) : input
      for (const { at, take, put, times } of damages) {
        const from = at % (bytes.length + 1)
        const inserted = Array.from({ length: times }, () => put)
        bytes = Buffer.concat([bytes.subarray(0, from), ...inserted, bytes.subarray(from + take)])
      }
      return bytes
    })
  return fc.oneof(
    { weight: 3, arbitrary: real },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 2_000 }).map(b => Buffer.from(b)) },
  )
}

it('the robots parser', () => {
  fc.assert(
    fc.property(
      damaged(ROBOTS),
      fc.webUrl({ withQueryParameters: true }),
      fc.string(),
      (bytes, url, token) => {
        for (const name of ['orbweaver', token]) {
          const rules = RobotsRules.parse(bytes, name)
          const { allowed } = rules.allows(normaliseUrl(url) ?? 'http://h.test/')
          expect(typeof allowed).toBe('boolean')
          expect(rules.crawlDelayMs ?? 0).toBeGreaterThanOrEqual(0)
        }
      },
    ),
    { numRuns: 2_000 },
  )
})

it('the robots matcher, on patterns made to take for ever', () => {
  const url = `http://h.test/${'a'.repeat(2_000)}`
  for (const pattern of [
    '/*a'.repeat(50_000),
    `/${'*a'.repeat(1_000)}b$`,
    `/${'*'.repeat(100_000)}b`,
    '/a*'.repeat(9_999),
  ]) {
    const rules = RobotsRules.parse(
      Buffer.from(`User-agent: *\n${`Disallow: ${pattern}\n`.repeat(3)}`),
      'orbweaver',
    )
    for (let i = 0; i < 50; i++) expect(typeof rules.allows(url).allowed).toBe('boolean')
  }
})

it('the link extractor', () => {
  const types = fc.constantFrom(
    undefined,
    'text/html',
    'text/html; charset=utf-16le',
    'text/html; charset=iso-2022-jp',
    'application/xhtml+xml',
  )
  fc.assert(
    fc.property(damaged(HTML), types, (body, contentType) => {
      const page = parsePage({
        url: 'http://h.test/d/p',
        body,
        contentType,
        wantText: true,
        wantRequisites: true,
      })
      expect(page.links.length).toBe(page.kinds.length)
      for (const link of page.links) expect(link).toMatch(/^https?:\/\/[^\s@/]+\/\S*$/)
      expect(Buffer.from(page.text.toString()).equals(page.text)).toBe(true)
    }),
    { numRuns: 2_000 },
  )
})

describe('the decoder', () => {
  it('of content codings', async () => {
    const decoder = new ContentDecoder(2)
    const inputs = [
      gzipSync(HTML),
      deflateSync(HTML),
      deflateRawSync(HTML),
      brotliCompressSync(Buffer.from(HTML)),
      gzipSync(gzipSync(HTML)),
    ]
    const coding = fc.constantFrom('gzip', 'x-gzip', 'deflate', 'br', 'zstd', 'compress', 'identity', 'none')
    await fc.assert(
      fc.asyncProperty(damaged(...inputs), fc.array(coding, { maxLength: 4 }), async (bytes, codings) => {
        const decoded = await decoder.decode(bytes, codings, 3_000)
        if (decoded.ok) expect(decoded.body.length).toBeLessThanOrEqual(Math.max(3_000, bytes.length))
      }),
      { numRuns: 1_500 },
    )
  })

  it('of response heads and chunks, in any pieces', () => {
    const limits = fetchLimits({ headerBytes: 2_000, headerCount: 20, chunkLineBytes: 100, bodyBytes: 500 })
    fc.assert(
      fc.property(damaged(HEAD, CHUNKED, LENGTH), fc.integer({ min: 1, max: 400 }), (bytes, piece) => {
        const reader = new ResponseReader(
          limits,
          new BodyBudget(10_000),
          { wantsBody: () => true },
          limits.bodyBytes,
        )
        for (let at = 0; at < bytes.length && (reader.at === 'head' || reader.at === 'body'); at += piece) {
          const part = Buffer.from(bytes.subarray(at, at + piece))
          reader.feed(part, part.length)
          reader.ready(() => {})
        }
        reader.close()
        const raw = reader.rawBody()
        expect(raw.length).toBeLessThanOrEqual(limits.bodyBytes)
        if (reader.at !== 'failed') expect(reader.payloadOf(raw).length).toBeLessThanOrEqual(raw.length)
        for (const name of ['content-type', 'set-cookie', 'x-folded']) reader.head?.header(name)
      }),
      { numRuns: 5_000 },
    )
  })
})
