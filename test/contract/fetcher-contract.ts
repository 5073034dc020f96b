/** What every implementation of the port Fetcher promises, whatever the pages come from. */
import { afterEach, describe, expect, test } from 'vitest'
import type { FetchLimits, MetaInfo } from '../../src/model/index.js'
import type { Fetcher, FetchRequest, FetchResult } from '../../src/page/fetch/index.js'
import { ManualClock } from '../kit/manual-clock.js'

export interface StoredPage {
  readonly path: string
  readonly body: Buffer
  readonly type: string
}

export interface OpenedSource {
  readonly fetcher: Fetcher
  /** The URL of a page. */
  url(path: string): string
  /** A request that has begun cannot end before the test goes on. Resolves once it has begun. */
  begun(): Promise<void>
  close(): Promise<void>
}

export interface FetcherCase {
  readonly name: string
  /** What comes of a URL of the site that the source does not have. */
  readonly missing: { readonly status: number } | { readonly code: string }
  /** Serves pages. `clock`: for time limits; default: the real clock. */
  open(
    pages: readonly StoredPage[],
    limits?: Partial<FetchLimits>,
    clock?: ManualClock,
  ): Promise<OpenedSource>
  /** Serves a large page that does not end until the test goes on. */
  openSlow(clock: ManualClock): Promise<OpenedSource>
}

const html = (path: string, body: string): StoredPage => ({
  path,
  body: Buffer.from(body),
  type: 'text/html',
})
const BIG = Buffer.alloc(700_000, '<p>0123456789</p>')
const KNOWN: MetaInfo = { etag: '', lastModified: '', digest: '', storedAt: '', links: [] }

export function fetcherContract(source: FetcherCase): void {
  describe(`${source.name} keeps the contract of a Fetcher`, () => {
    let open: OpenedSource | null = null
    let stop = new AbortController()
    afterEach(async () => {
      await open?.close()
      open = null
      stop = new AbortController()
    })

    async function served(pages: StoredPage[], limits?: Partial<FetchLimits>): Promise<OpenedSource> {
      open = await source.open(pages, limits)
      return open
    }
    const get = (path: string, request: Partial<FetchRequest> = {}): Promise<FetchResult> =>
      open!.fetcher.fetch({ url: open!.url(path), ...request }, stop.signal)
    async function exchangeOf(path: string, request: Partial<FetchRequest> = {}) {
      const result = await get(path, request)
      if (!result.ok) throw new Error(`${result.code}: ${result.detail}`)
      return result.exchange
    }

    test('a page comes with its bytes, its type and the time it took', async () => {
      await served([html('/a.html', '<html>one é'), html('/empty.html', '')])
      const one = await exchangeOf('/a.html')
      expect(one).toMatchObject({ url: open!.url('/a.html'), status: 200 })
      expect(one.body.toString()).toBe('<html>one é')
      expect(one.payload.equals(one.body)).toBe(true)
      expect(one.header('content-type')).toMatch(/^text\/html/)
      expect(one.headerValues?.('content-type')).toHaveLength(1)
      expect(one.header('x-none')).toBeUndefined()
      expect(one.fetchMs).toBeGreaterThanOrEqual(0)
      expect(one.startedAt).toBeGreaterThan(1_500_000_000_000)
      expect(one.truncated).toBeUndefined()
      expect((await exchangeOf('/empty.html')).body).toHaveLength(0)
    })

    test('odd names are found: spaces, accents, escapes', async () => {
      const names = ['/a%20b.html', '/%C3%A9.html', '/x%25y.html', '/a+b&c=d;e.html', '/(1)/~me/%5Bx%5D.html']
      await served(names.map(name => html(name, `<html>${name}`)))
      for (const name of names) expect((await exchangeOf(name)).body.toString()).toBe(`<html>${name}`)
    })

    test('many requests at once get each its own page', async () => {
      const pages = Array.from({ length: 60 }, (_, n) => html(`/${n}.html`, `<html>page ${n}`))
      await served(pages)
      const bodies = await Promise.all(pages.map(({ path }) => exchangeOf(path)))
      expect(bodies.map(({ body }) => body.toString())).toEqual(pages.map(({ body }) => body.toString()))
    })

    test('a body is cut at its bound and says so; one of exactly that length is whole', async () => {
      await served([html('/a.html', '<html>0123456789'), { path: '/big.html', body: BIG, type: 'text/html' }])
      const cut = await exchangeOf('/a.html', { bodyBytes: 10 })
      expect(cut.body.toString()).toBe('<html>0123')
      expect(cut.truncated).toBe('length')
      const whole = await exchangeOf('/a.html', { bodyBytes: 16 })
      expect(whole.body.toString()).toBe('<html>0123456789')
      expect(whole.truncated).toBeUndefined()
      const big = await exchangeOf('/big.html', { bodyBytes: 600_000 })
      expect(big.body.equals(BIG.subarray(0, 600_000))).toBe(true)
      expect(big.truncated).toBe('length')
      const bigWhole = await exchangeOf('/big.html')
      expect(bigWhole.body.equals(BIG)).toBe(true)
      expect(bigWhole.truncated).toBeUndefined()
    })

    test('a type that is not wanted comes without its body (D7)', async () => {
      const png = Buffer.from('\x89PNG\r\n\x1a\n0123456789', 'latin1')
      await served([{ path: '/a.png', body: png, type: 'image/png' }, html('/a.html', '<html>')])
      const result = await get('/a.png', { types: ['text/html'] })
      expect(result).toMatchObject({ ok: false, code: 'TYPE_NOT_WANTED' })
      expect(result.exchange).toMatchObject({ status: 200, truncated: 'length' })
      expect(result.exchange!.body).toHaveLength(0)
      expect((await exchangeOf('/a.html', { types: ['text/html'] })).body).toHaveLength(6)
      expect((await exchangeOf('/a.png', { types: ['image/'] })).body).toHaveLength(png.length)
    })

    test('a URL that the source does not have', async () => {
      await served([html('/a.html', '<html>')])
      const result = await get('/missing.html', { types: ['text/html'] })
      if ('code' in source.missing) expect(result).toMatchObject({ ok: false, code: source.missing.code })
      else expect(result).toMatchObject({ ok: true, exchange: { status: source.missing.status } })
    })

    test('a known version is answered with 304, another with the page', async () => {
      await served([html('/a.html', '<html>one')])
      const first = await exchangeOf('/a.html')
      const etag = first.header('etag') ?? ''
      const lastModified = first.header('last-modified') ?? ''
      expect(etag).not.toBe('')
      const same = await exchangeOf('/a.html', { known: { ...KNOWN, etag, lastModified } })
      expect(same.status).toBe(304)
      expect(same.body).toHaveLength(0)
      expect((await exchangeOf('/a.html', { known: { ...KNOWN, lastModified } })).status).toBe(304)
      expect(
        (await exchangeOf('/a.html', { known: { ...KNOWN, etag: '"other"', lastModified } })).status,
      ).toBe(200)
      const old = new Date(Date.parse(lastModified) - 60_000).toUTCString()
      expect((await exchangeOf('/a.html', { known: { ...KNOWN, lastModified: old } })).status).toBe(200)
      expect((await exchangeOf('/a.html', { known: KNOWN })).body.toString()).toBe('<html>one')
    })

    test('an aborted request, one that may not begin, and one after the end are given up', async () => {
      await served([html('/a.html', '<html>one')])
      expect(await get('/a.html', { mayBegin: () => false })).toMatchObject({ ok: false, code: 'RESET' })
      stop.abort()
      expect(await get('/a.html')).toMatchObject({ ok: false, code: 'RESET' })
      await open!.fetcher.close()
      const result = await open!.fetcher.fetch({ url: open!.url('/a.html') }, new AbortController().signal)
      expect(result).toMatchObject({ ok: false, code: 'RESET' })
    })

    test('a request in flight ends at once when it is aborted', async () => {
      open = await source.openSlow(new ManualClock())
      const answer = get('/slow.html')
      await open.begun()
      stop.abort()
      expect(await answer).toMatchObject({ ok: false, code: 'RESET' })
    })

    test('a response that takes too long is given up', async () => {
      const clock = new ManualClock()
      open = await source.openSlow(clock)
      const answer = get('/slow.html')
      await open.begun()
      clock.advance(3_600_000)
      expect(await answer).toMatchObject({ ok: false, code: 'BODY_TOO_SLOW' })
      expect(clock.pending).toBe(0)
    })

    test('bodies in flight are bounded: further ones wait until others are settled', async () => {
      await served([{ path: '/big.html', body: BIG, type: 'text/html' }], { bodyBytesInFlight: 900_000 })
      const came: FetchResult[] = []
      const all = Array.from({ length: 6 }, () =>
        get('/big.html', { holdsBody: true }).then(result => {
          came.push(result)
        }),
      )
      // A hundred turns of the event loop are enough for all bodies.
      for (let turn = 0; turn < 100; turn++) await new Promise(resolve => setImmediate(resolve))
      expect(came.length).toBeLessThanOrEqual(2)
      for (let settled = 0; settled < all.length; settled++) {
        while (came.length <= settled) await new Promise(resolve => setImmediate(resolve))
        came[settled].exchange?.settled?.()
      }
      await Promise.all(all)
      expect(came.every(result => result.ok && result.exchange.body.equals(BIG))).toBe(true)
    })

    test('the event loop is served while pages are read one after another', async () => {
      await served([html('/a.html', '<html>one')])
      let isServed = false
      setImmediate(() => {
        isServed = true
      })
      for (let page = 0; page < 100_000 && !isServed; page++) await exchangeOf('/a.html')
      expect(isServed).toBe(true)
    })
  })
}
