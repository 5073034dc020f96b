/** Exchanges, page rows and folders for the tests of the store. */
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { type Exchange, KEPT, type PageRow } from '../../src/model/index.js'

/** Wall time of everything in the samples. */
export const SAMPLE_TIME = Date.UTC(2026, 0, 2, 3, 4, 5, 678)

export interface SampleExchange extends Partial<Exchange> {
  /** Response headers; a status line stands before them. */
  readonly headers?: readonly string[]
  readonly head?: string
}

/** An exchange as the fetcher makes it; `payload` is the raw body unless the body was chunked. */
export function sampleExchange(sample: SampleExchange = {}): Exchange {
  const { headers = ['Content-Type: text/html; charset=utf-8'], status = 200 } = sample
  const head = sample.head ?? `HTTP/1.1 ${status} Fine\r\n${headers.map(line => `${line}\r\n`).join('')}\r\n`
  const rawBody = sample.rawBody ?? Buffer.from('<title>Hello</title>')
  const url = sample.url ?? 'http://example.org/page'
  const values = new Map(
    headers.map(line => [
      line.slice(0, line.indexOf(':')).toLowerCase(),
      line.slice(line.indexOf(':') + 1).trim(),
    ]),
  )
  return {
    url,
    startedAt: SAMPLE_TIME,
    fetchMs: 12.4,
    connectMs: 3,
    remoteAddress: '192.0.2.7',
    requestHead: Buffer.from(
      `GET /page HTTP/1.1\r\nHost: ${new URL(url).host}\r\nUser-Agent: orbweaver/test\r\n\r\n`,
    ),
    status,
    responseHead: Buffer.from(head, 'latin1'),
    rawBody,
    payload: rawBody,
    body: rawBody,
    header: name => values.get(name),
    ...sample,
  }
}

export function sampleRow(row: Partial<PageRow> = {}): PageRow {
  return {
    url: 'http://example.org/page',
    outcome: 'OK',
    fetchedAt: SAMPLE_TIME,
    fetchMs: 12,
    status: 200,
    depth: 1,
    hops: 0,
    via: 'http://example.org/',
    lane: 3,
    attempt: 1,
    bodyBytes: 20,
    digest: '',
    mime: 'text/html',
    mimeDetected: 'text/html',
    charset: 'utf-8',
    languages: 'en',
    truncated: '',
    title: 'Hello',
    description: '',
    canonical: '',
    redirect: '',
    text: new Uint8Array(Buffer.from('Hello, wörld')),
    outlinks: 2,
    outlinksForeign: 1,
    etag: '',
    lastModified: '',
    kept: '',
    refersToDate: '',
    warcOffset: -1,
    warcLength: 0,
    ...row,
  }
}

const anyText = fc.string({ unit: 'grapheme', maxLength: 40 })
const int32 = fc.integer({ min: 0, max: 0x7fff_ffff })
const host = fc.constantFrom(
  'example.org',
  'www.example.co.uk',
  'a.b.github.io',
  '192.0.2.1',
  '[2001:db8::1]',
  'xn--bcher-kva.example',
)

export const anyUrl: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom('http', 'https'),
    host,
    fc.constantFrom('', ':8080'),
    fc.webPath(),
    fc.option(fc.webQueryParameters(), { nil: '' }),
  )
  .map(
    ([scheme, name, port, path, query]) => new URL(`${scheme}://${name}${port}${path || '/'}?${query}`).href,
  )

export const anyRow: fc.Arbitrary<PageRow> = fc
  .record({
    url: anyUrl,
    outcome: fc.constantFrom('OK', 'REDIRECT', 'DNS_FAILED', 'TRAP:calendar'),
    fetchedAt: fc.integer({ min: 0, max: 4e12 }),
    fetchMs: fc.double({ min: 0, max: 1e6, noNaN: true }),
    status: fc.constantFrom(0, 200, 301, 404, 503),
    depth: int32,
    hops: int32,
    via: fc.oneof(fc.constant(''), anyUrl),
    lane: int32,
    // The crawler tries five times at most.
    attempt: fc.integer({ min: 0, max: 0xffff }),
    kept: fc.constantFrom(...KEPT),
    bodyBytes: fc.integer({ min: 0, max: 2 ** 45 }),
    digest: anyText,
    mime: fc.constantFrom('', 'text/html', 'application/pdf'),
    mimeDetected: anyText,
    charset: fc.constantFrom('', 'utf-8', 'windows-1252'),
    languages: anyText,
    truncated: fc.constantFrom('', 'length', 'time', 'disconnect'),
    title: anyText,
    description: anyText,
    canonical: fc.oneof(fc.constant(''), anyUrl),
    redirect: fc.oneof(fc.constant(''), anyUrl),
    text: fc.string({ unit: 'grapheme', maxLength: 400 }).map(text => new Uint8Array(Buffer.from(text))),
    outlinks: int32,
    outlinksForeign: int32,
    etag: anyText,
    lastModified: anyText,
    refersToDate: fc.constantFrom('', '2026-01-02T03:04:05.006Z'),
    warc: fc.option(fc.tuple(fc.integer({ min: 0, max: 2 ** 31 }), int32), {
      nil: [-1, 0] as [number, number],
    }),
  })
  .map(({ warc, ...row }) => ({ ...row, warcOffset: warc[0], warcLength: warc[1] }) as PageRow)

// The store fsyncs at every step, these tests take thousands of steps: in memory where the system offers it.
const BASE = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

/** Runs `work` with an empty crawl directory that is gone afterwards. */
export async function inDirectory<T>(work: (directory: string) => T | Promise<T>): Promise<T> {
  const directory = mkdtempSync(join(BASE, 'orbweaver-store-'))
  for (const folder of ['archive', 'tables/pages', 'tables/links'])
    mkdirSync(join(directory, folder), { recursive: true })
  try {
    return await work(directory)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}
