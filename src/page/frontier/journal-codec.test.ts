import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fingerprint, takeFingerprint } from '../../model/bytes/index.js'
import type { Discovery, OutcomeCode } from '../../model/index.js'
import { JournalWriter, readDiscoveries, readJournal } from './journal-codec.js'

type Entry =
  | { is: 'discovery'; discovery: Discovery }
  | { is: 'outcome'; url: string; code: OutcomeCode; depth: number | undefined }
  | { is: 'retry'; url: string; attempt: number; notBefore: number }

const url = fc.oneof(
  fc.webUrl({ withQueryParameters: true }),
  fc.nat(9_999).map(n => `https://example.org/topic-${n % 10}/page-${n}.html`),
  fc.nat(9_999).map(n => `http://example.org/?q=${n}`),
  fc.constantFrom(
    'https://example.org/',
    'https://example.org:8443/',
    'https://example.organic/',
    'http://h/ü€😀',
  ),
)
const discovery = fc.record({
  url,
  depth: fc.oneof(fc.nat(5), fc.nat()),
  hops: fc.nat(12),
  score: fc.oneof(
    fc.constant(0),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map(x => x + 0),
  ),
  via: fc.oneof(fc.constant(''), url),
})
const code = fc.constantFrom<OutcomeCode>(
  'OK',
  'TOO_DEEP',
  'URL_TOO_LONG',
  'TRAP:calendar',
  'TRAP:soft-404',
  'SITE_DROPPED',
)
const entries = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ is: fc.constant('discovery' as const), discovery }) },
    fc.record({
      is: fc.constant('outcome' as const),
      url,
      code,
      depth: fc.option(fc.nat(), { nil: undefined }),
    }),
    fc.record({
      is: fc.constant('retry' as const),
      url,
      attempt: fc.nat(99),
      notBefore: fc.double({ min: 0, max: 1e13, noNaN: true }),
    }),
  ),
  { maxLength: 120 },
)

function write(list: readonly Entry[], cell = 'example.org'): JournalWriter {
  const writer = new JournalWriter(cell)
  for (const entry of list) {
    if (entry.is === 'discovery') writer.discover(entry.discovery)
    else if (entry.is === 'outcome') writer.outcome(entry.url, entry.code, entry.depth)
    else writer.retry(entry.url, entry.attempt, entry.notBefore)
  }
  return writer
}

/** The entries with fingerprints in place of URLs, as a reader sees them. */
function asRead(list: readonly Entry[]): unknown[] {
  return list.map(entry => {
    if (entry.is === 'discovery') return entry.discovery
    takeFingerprint(entry.url)
    const { low, high } = fingerprint
    return entry.is === 'outcome'
      ? [low, high, entry.code, entry.depth]
      : [low, high, entry.attempt, entry.notBefore]
  })
}

function readAll(blob: Uint8Array): unknown[] {
  const seen: unknown[] = []
  readJournal(blob, {
    discovered: found => void seen.push(found),
    settled: (...event) => void seen.push(event),
    retried: (...event) => void seen.push(event),
  })
  return seen
}

describe('the journal', () => {
  it('reads back everything that was written, in its order', () => {
    fc.assert(
      fc.property(entries, list => {
        expect(readAll(write(list).finish())).toEqual(asRead(list))
      }),
    )
  })

  it('gives discoveries alone and events alone without the others', () => {
    fc.assert(
      fc.property(entries, list => {
        const blob = write(list).finish()
        const found: Discovery[] = []
        readDiscoveries(blob, each => found.push(each))
        expect(found).toEqual(list.flatMap(entry => (entry.is === 'discovery' ? [entry.discovery] : [])))
        const events: unknown[] = []
        readJournal(blob, {
          settled: (...event) => void events.push(event),
          retried: (...event) => void events.push(event),
        })
        expect(events).toEqual(asRead(list.filter(entry => entry.is !== 'discovery')))
      }),
    )
  })

  it('can be finished again after more was added: a pack that must be rewritten loses nothing', () => {
    fc.assert(
      fc.property(entries, entries, (before, after) => {
        const writer = write(before)
        const first = Uint8Array.from(writer.finish())
        for (const entry of after) if (entry.is === 'discovery') writer.discover(entry.discovery)
        const added = after.filter(entry => entry.is === 'discovery')
        expect(readAll(first)).toEqual(asRead(before))
        expect(readAll(writer.finish())).toEqual(asRead([...before, ...added]))
      }),
    )
  })

  it('keeps shards of one site apart from its name', () => {
    const list: Entry[] = [
      { is: 'discovery', discovery: { url: 'https://h/x', depth: 0, hops: 0, score: 0, via: '' } },
    ]
    expect(readAll(write(list, 'h#3').finish())).toEqual(asRead(list))
  })

  it('is empty until something is written', () => {
    expect(write([]).isEmpty).toBe(true)
    expect(write([{ is: 'retry', url: 'http://h/', attempt: 2, notBefore: 1 }]).isEmpty).toBe(false)
  })

  it('takes at most 30 bytes for a typical URL with its outcome', () => {
    const writer = new JournalWriter('docs.example.org')
    const topics = ['library', 'reference', 'tutorial', 'howto', 'whatsnew']
    for (let n = 0; n < 60; n++) {
      const found = `https://docs.example.org/3/${topics[n % 5]}/${topics[(n * 3) % 5]}-chapter-${n * 37}.html`
      writer.discover({
        url: found,
        depth: 3,
        hops: 0,
        score: 0,
        via: `https://docs.example.org/3/${n >> 4}/`,
      })
      writer.outcome(found, 'OK')
    }
    expect(writer.finish().length / 60).toBeLessThanOrEqual(30)
  })

  it('holds thousands of URLs in a fraction of their size, and reads them back in order, events between', () => {
    const list: Entry[] = []
    let urlBytes = 0
    for (let n = 0; n < 5_000; n++) {
      const via = `https://example.org/list-${n >> 6}.html`
      const found = `https://example.org/section-${n % 7}/a-page-known-by-its-number-${n * 37}.html`
      urlBytes += found.length
      list.push({ is: 'discovery', discovery: { url: found, depth: n >> 10, hops: 0, score: 0, via } })
      if (n % 500 === 7) list.push({ is: 'outcome', url: via, code: 'OK', depth: undefined })
    }
    const writer = write(list)
    expect(writer.bytes).toBeLessThan(urlBytes / 3)
    expect(readAll(writer.finish())).toEqual(asRead(list))
    expect(readAll(writer.finish())).toEqual(asRead(list))
  })

  it('refuses a version it does not know, and bytes that end too early', () => {
    const blob = Uint8Array.from(
      write([{ is: 'outcome', url: 'http://h/', code: 'OK', depth: 3 }], 'h').finish(),
    )
    expect(() => readAll(blob.subarray(0, blob.length - 1))).toThrow(RangeError)
    blob[0] = 9
    expect(() => readAll(blob)).toThrow(/version 9/)
  })
})
