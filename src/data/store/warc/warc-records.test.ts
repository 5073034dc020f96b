import { createHash } from 'node:crypto'
import { brotliCompressSync, deflateSync, gunzipSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { WARCParser } from 'warcio'
import { SAMPLE_TIME, sampleExchange, sampleRow } from '../../../../test/kit/store-samples.js'
import { type Exchange, SeededRandom } from '../../../model/index.js'
import { ByteSink } from '../bytes/index.js'
import { parseArchiveFormat } from './archive-format.js'
import { payloadDigest } from './digest.js'
import { recordCompressor } from './record-compressor.js'
import { type Revisit, type WarcRecords, warcRecords } from './warc-records.js'

const records = newRecords(1)

function newRecords(level: number): WarcRecords {
  const made = warcRecords({ codec: 'gzip', level }, new SeededRandom(1))
  if (!made) throw new Error('gzip archives')
  return made
}

function archive(exchange: Exchange, revisit?: Revisit, level = 1): Buffer {
  const sink = new ByteSink()
  const made = level === 1 ? records : newRecords(level)
  made.appendExchange(sink, exchange, sampleRow(), revisit)
  return Buffer.from(sink.view())
}

interface Seen {
  readonly type: string
  readonly headers: Map<string, string>
  readonly block: Buffer
  /** Behind the HTTP head, as warcio cuts it. */
  readonly payload: Buffer
  readonly content: Buffer
}

/** All records as warcio reads them: once raw, once with the HTTP parsed. */
async function readWithWarcio(bytes: Buffer): Promise<Seen[]> {
  const blocks: Buffer[] = []
  for await (const record of new WARCParser([bytes], { parseHttp: false }))
    blocks.push(Buffer.from(await record.readFully(false)))
  const payloads: Buffer[] = []
  for await (const record of new WARCParser([bytes]))
    payloads.push(Buffer.from(await record.readFully(false)))
  const seen: Seen[] = []
  for await (const record of new WARCParser([bytes])) {
    const i = seen.length
    seen.push({
      type: record.warcType,
      headers: new Map(record.warcHeaders.headers),
      block: blocks[i],
      payload: payloads[i],
      content: Buffer.from(await record.readFully(true)),
    })
  }
  return seen
}

/** Not by way of our own code. */
function sha1Base32(bytes: Uint8Array): string {
  let bits = ''
  for (const byte of createHash('sha1').update(bytes).digest()) bits += byte.toString(2).padStart(8, '0')
  const letters = bits.match(/.{5}/g) ?? []
  return `sha1:${letters.map(five => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'[Number.parseInt(five, 2)]).join('')}`
}

/** Every digest in every record, against the bytes warcio gives for it. */
function expectDigestsToMatch(seen: readonly Seen[]): void {
  for (const { type, headers, block, payload } of seen) {
    expect(headers.get('warc-block-digest')).toBe(sha1Base32(block))
    expect(Number(headers.get('content-length'))).toBe(block.length)
    if (type === 'response') expect(headers.get('warc-payload-digest')).toBe(sha1Base32(payload))
  }
}

function chunked(payload: Buffer, size: number): Buffer {
  const parts: Buffer[] = []
  for (let at = 0; at < payload.length; at += size) {
    const part = payload.subarray(at, at + size)
    parts.push(Buffer.from(`${part.length.toString(16)};x=y\r\n`), part, Buffer.from('\r\n'))
  }
  return Buffer.concat([...parts, Buffer.from('0\r\nTrailer: x\r\n\r\n')])
}

const html = Buffer.from('<p>wörld '.repeat(3000))
const html8 = ['Content-Type: text/html']

const cases: Record<string, Exchange> = {
  plain: sampleExchange({ rawBody: html }),
  small: sampleExchange(),
  empty: sampleExchange({ rawBody: Buffer.alloc(0), status: 404 }),
  binary: sampleExchange({ rawBody: Buffer.from(Array.from({ length: 70_000 }, (_, i) => (i * 7919) >> 3)) }),
  'looks like the end of a record': sampleExchange({
    rawBody: Buffer.from('a\r\n\r\nWARC/1.1\r\nWARC-Type: x\r\n\r\n'),
  }),
  image: sampleExchange({ rawBody: html, headers: ['Content-Type: image/png'] }),
  gzip: sampleExchange({ rawBody: gzipSync(html), headers: [...html8, 'Content-Encoding: gzip'] }),
  br: sampleExchange({ rawBody: brotliCompressSync(html), headers: [...html8, 'Content-Encoding: br'] }),
  deflate: sampleExchange({ rawBody: deflateSync(html), headers: [...html8, 'Content-Encoding: deflate'] }),
  chunked: sampleExchange({
    rawBody: chunked(html, 1000),
    payload: html,
    headers: [...html8, 'Transfer-Encoding: chunked'],
  }),
  'chunked and gzip': sampleExchange({
    rawBody: chunked(gzipSync(html), 100),
    payload: gzipSync(html),
    headers: [...html8, 'transfer-encoding:chunked', 'Content-Encoding: gzip'],
  }),
  'chunked and empty': sampleExchange({
    rawBody: Buffer.from('0\r\n\r\n'),
    payload: Buffer.alloc(0),
    headers: ['Transfer-Encoding: chunked'],
  }),
  truncated: sampleExchange({
    rawBody: chunked(html, 1000).subarray(0, 5000),
    payload: html.subarray(0, 4900),
    headers: [...html8, 'Transfer-Encoding: chunked'],
    truncated: 'disconnect',
  }),
  'no headers at all': sampleExchange({
    head: 'HTTP/1.0 200 OK\r\n\r\n',
    rawBody: Buffer.from('body\r\n\r\nmore'),
  }),
  'bare line feeds': sampleExchange({
    head: 'HTTP/1.0 200 OK\nA: 1\nB: 2\n\n',
    rawBody: Buffer.from('x\r\n\r\ny'),
  }),
  'mixed line ends': sampleExchange({
    head: 'HTTP/1.0 200 OK\r\nA: 1\n\r\n',
    rawBody: Buffer.from('x\r\n\r\ny'),
  }),
  'headers in latin-1': sampleExchange({ headers: ['Content-Type: text/html', 'X-Name: caf\u00e9 \u00ff'] }),
  'header without a colon': sampleExchange({ headers: ['nonsense', 'Content-Type: text/html'] }),
}

describe('warcio reads every record and every digest matches', () => {
  for (const [name, exchange] of Object.entries(cases)) {
    it(name, async () => {
      const seen = await readWithWarcio(archive(exchange))
      expect(seen.map(record => record.type)).toEqual(['response', 'request', 'metadata'])
      expectDigestsToMatch(seen)
      const [response, request] = seen
      expect(response.payload).toEqual(exchange.payload)
      expect(response.headers.get('warc-payload-digest')).toBe(payloadDigest(exchange.payload))
      expect(request.block).toEqual(exchange.requestHead)
    })
  }

  it('any bytes as a body, at any level', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 3000 }), fc.constantFrom(1, 6), async (bytes, level) => {
        const exchange = sampleExchange({ rawBody: Buffer.from(bytes) })
        const seen = await readWithWarcio(archive(exchange, undefined, level))
        expect(seen).toHaveLength(3)
        expectDigestsToMatch(seen)
        expect(seen[0].payload).toEqual(exchange.rawBody)
      }),
      { numRuns: 60 },
    )
  })

  it('gives back the decoded page of a chunked, gzipped exchange', async () => {
    const [response] = await readWithWarcio(archive(cases['chunked and gzip']))
    expect(response.content).toEqual(html)
    expect(response.block.toString('latin1')).toContain('\r\nX-Archive-Orig-Transfer-Encoding:chunked\r\n')
  })
})

describe('a record says what the standard asks', () => {
  it('response, request and metadata name each other, the place and the time', async () => {
    const exchange = sampleExchange({ truncated: 'length' })
    const [response, request, metadata] = await readWithWarcio(archive(exchange))
    for (const { headers } of [response, request, metadata]) {
      expect(headers.get('warc-target-uri')).toBe(exchange.url)
      expect(headers.get('warc-date')).toBe(new Date(SAMPLE_TIME).toISOString())
      expect(headers.get('warc-ip-address')).toBe('192.0.2.7')
      expect(headers.get('warc-record-id')).toMatch(/^<urn:uuid:[0-9a-f-]{36}>$/)
    }
    expect(response.headers.get('warc-truncated')).toBe('length')
    expect(response.headers.get('warc-identified-payload-type')).toBe('text/html')
    expect(response.headers.get('content-type')).toBe('application/http; msgtype=response')
    expect(request.headers.get('warc-concurrent-to')).toBe(response.headers.get('warc-record-id'))
    expect(metadata.headers.get('warc-concurrent-to')).toBe(response.headers.get('warc-record-id'))
    expect(metadata.block.toString()).toBe(
      'via: http://example.org/\r\nhopsFromSeed: 1\r\nfetchTimeMs: 12\r\noutcome: OK\r\ncharset: utf-8\r\nlanguages: en\r\n',
    )
  })

  it('a 304 and a duplicate become revisits that refer to the stored copy', async () => {
    const exchange = sampleExchange({ status: 304, rawBody: Buffer.alloc(0) })
    for (const profile of ['server-not-modified', 'identical-payload-digest'] as const) {
      const revisit: Revisit = {
        profile,
        refersToUrl: 'http://example.org/first',
        refersToDate: '2025-01-01T00:00:00.000Z',
        digest: 'sha1:AAAABBBBCCCCDDDDEEEEFFFFGGGGHHHH',
      }
      const seen = await readWithWarcio(archive(exchange, revisit))
      expectDigestsToMatch(seen)
      const [{ type, headers, block }] = seen
      expect(type).toBe('revisit')
      expect(headers.get('warc-profile')).toBe(`http://netpreserve.org/warc/1.1/revisit/${profile}`)
      expect(headers.get('warc-refers-to-target-uri')).toBe(revisit.refersToUrl)
      expect(headers.get('warc-refers-to-date')).toBe(revisit.refersToDate)
      expect(headers.get('warc-payload-digest')).toBe(revisit.digest)
      expect(block).toEqual(exchange.responseHead)
    }
  })

  it('nothing a server says starts a field of its own', async () => {
    const sink = new ByteSink()
    const row = sampleRow({
      charset: 'utf-8\r\nevil: yes',
      mimeDetected: 'a/b\r\nWARC-Type: evil',
      via: 'x\ny',
    })
    records.appendExchange(sink, sampleExchange(), row)
    const seen = await readWithWarcio(Buffer.from(sink.view()))
    expect(seen.map(record => record.type)).toEqual(['response', 'request', 'metadata'])
    expect(seen[2].block.toString()).not.toMatch(/^evil/m)
  })

  it('a duplicate without its own digest is given one', () => {
    const sink = new ByteSink()
    const given = records.appendExchange(sink, sampleExchange(), sampleRow({ digest: 'sha1:GIVEN' }))
    const made = records.appendExchange(sink, sampleExchange(), sampleRow({ digest: '' }))
    expect(given.digest).toBe('sha1:GIVEN')
    expect(made.digest).toBe(payloadDigest(sampleExchange().payload))
  })
})

/** Words of made-up letters, some in links: compresses like a page. */
function madeUpPage(seed: number): Buffer {
  let state = seed + 1
  const next = (below: number) => {
    state = (Math.imul(state, 48_271) + 12_345) >>> 0
    return (state >>> 8) % below
  }
  const word = () => ['ta', 'ner', 'lo', 'mis', 'que', 'ra', 'vent'].slice(next(4)).join('').slice(next(5))
  const piece = () => (next(6) === 0 ? `<a href="/${word()}/${next(1000)}.html">${word()}</a>` : `${word()} `)
  return Buffer.from(`<html><body>${Array.from({ length: 1_500 }, piece).join('')}</body></html>`)
}

describe('compression', () => {
  it('level 1 gives any records back, whatever came before', () => {
    const compressor = recordCompressor({ codec: 'gzip', level: 1 })
    const noise = fc.uint8Array({ maxLength: 5_000 }).map(bytes => Buffer.from(bytes))
    const page = fc.nat({ max: html.length }).map(length => html.subarray(0, length))
    const repeated = fc
      .tuple(fc.uint8Array({ minLength: 1, maxLength: 40 }), fc.nat({ max: 100_000 }))
      .map(([unit, length]) => Buffer.alloc(length, unit))
    const cyrillic = fc
      .nat({ max: 5_000 })
      .map(length => Buffer.from('\u0441\u0430\u0439\u0442 '.repeat(length)))
    const records = fc.array(fc.array(fc.oneof(noise, page, repeated, cyrillic), { maxLength: 3 }), {
      maxLength: 8,
    })
    fc.assert(
      fc.property(records, pieces => {
        for (const piece of pieces) {
          const record = Buffer.concat(piece)
          const sink = new ByteSink(16)
          compressor.append(sink, record, false)
          expect(gunzipSync(sink.view()).equals(record)).toBe(true)
        }
      }),
    )
  })

  it('level 1 takes records of several megabytes, and stores what does not shrink', () => {
    const compressor = recordCompressor({ codec: 'gzip', level: 1 })
    const noise = Buffer.from(Array.from({ length: 1_000_000 }, (_, i) => Math.imul(i, 0x9e3779b1) >>> 23))
    for (const record of [Buffer.concat(Array.from({ length: 300 }, () => html)), noise]) {
      const sink = new ByteSink(16)
      compressor.append(sink, record, false)
      expect(gunzipSync(sink.view()).equals(record)).toBe(true)
      expect(sink.length).toBeLessThan(record.length + 200)
    }
  })

  it('level 1 learns: pages of one kind shrink nearly as much as with zlib', () => {
    const compressor = recordCompressor({ codec: 'gzip', level: 1 })
    const sink = new ByteSink()
    let page = madeUpPage(0)
    for (let i = 1; i < 200; i++) {
      page = madeUpPage(i)
      sink.clear()
      compressor.append(sink, page, false)
    }
    expect(sink.length).toBeLessThan(gzipSync(page, { level: 1 }).length * 1.1)
  })

  it('every member can be read from its own offset, stored ones of several blocks included', () => {
    const sink = new ByteSink()
    const exchange = sampleExchange({
      rawBody: Buffer.alloc(200_000, 7),
      headers: ['Content-Type: image/png'],
    })
    const first = records.appendExchange(sink, exchange, sampleRow())
    const second = records.appendExchange(sink, exchange, sampleRow())
    for (const { offset, length } of [first, second]) {
      expect(gunzipSync(sink.view(offset, offset + length)).toString('latin1', 0, 8)).toBe('WARC/1.1')
    }
  })

  it('what cannot be had is refused when it is asked for, with a way out', () => {
    expect(parseArchiveFormat('gzip')).toEqual({ ok: true, format: { codec: 'gzip', level: 1 } })
    expect(parseArchiveFormat('gzip:9')).toEqual({ ok: true, format: { codec: 'gzip', level: 9 } })
    expect(parseArchiveFormat('none')).toEqual({ ok: true, format: { codec: 'none' } })
    for (const bad of ['gzip:0', 'gzip:10', 'gzip:x', 'zstd:0', 'zstd:20', 'lzma', 'none:1'])
      expect(parseArchiveFormat(bad).ok).toBe(false)
    expect(parseArchiveFormat('zstd')).toEqual({ ok: true, format: { codec: 'zstd', level: 3 } })
    expect(parseArchiveFormat('zstd:10')).toEqual({ ok: true, format: { codec: 'zstd', level: 10 } })
  })
})
