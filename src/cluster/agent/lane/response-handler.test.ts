/** An exception while one page is settled is an outcome of that page. */
import { afterEach, describe, expect, it } from 'vitest'
import { temporary } from '../../../../test/kit/orbweaver.js'
import { PagePath } from '../../../../test/kit/page-path.js'
import { type SampleExchange, sampleExchange } from '../../../../test/kit/store-samples.js'
import { type Exchange, sitemapMark } from '../../../model/index.js'
import { type GuestModule, TrustedGuest } from '../../../page/guest/index.js'
import { parsePage } from '../../../page/parse/index.js'

const SITE = 'http://site.test'
const LINKS = `<a href=/one>1</a><a href=/two>2</a><a href=//other.test/>3</a>`
let path: PagePath
afterEach(() => path.close())

const open = (ports: ConstructorParameters<typeof PagePath>[2]) => {
  path = new PagePath(temporary('response-handler'), 1, ports)
}
const exchangeOf = (name: string, more: SampleExchange = {}): Exchange =>
  sampleExchange({ url: `${SITE}/${name}`, rawBody: Buffer.from(LINKS), ...more })
const outcomes = () =>
  Object.fromEntries(path.filled.cell.outcomes.map(({ code, count }) => [code, count] as const))
const rows = () => path.filled.rows.map(({ url, outcome }) => `${url.slice(SITE.length + 1)} ${outcome}`)

/** A parser with a bug. */
const failsOn = (name: string): typeof parsePage => {
  return request => {
    if (request.url.endsWith(name)) throw new RangeError('Invalid code point NaN')
    return parsePage(request)
  }
}

describe('a page that the parser throws at', () => {
  it('has its own outcome, and the pages around it have theirs', async () => {
    open({ parse: failsOn('bad') })
    expect(await path.settleExchange(exchangeOf('before'))).toBe(true)
    expect(await path.settleExchange(exchangeOf('bad'))).toBe(false)
    expect(await path.settleExchange(exchangeOf('after'))).toBe(true)
    expect(rows()).toEqual(['before OK', 'bad INTERNAL_ERROR', 'after OK'])
    expect(outcomes()).toEqual({ OK: 2, INTERNAL_ERROR: 1 })
    expect(path.filled.cell).toMatchObject({ settled: 3, pages: 2 })
    expect(await path.seal()).toBe(3)
  })

  it('is archived all the same, and the log has the stack', async () => {
    open({ parse: failsOn('bad') })
    await path.settleExchange(exchangeOf('bad'))
    const [row] = path.filled.rows
    expect(row).toMatchObject({
      status: 200,
      bodyBytes: LINKS.length,
      digest: expect.stringMatching(/^sha1:/),
    })
    expect(row!.warcLength).toBeGreaterThan(0)
    expect(path.faults).toEqual([expect.stringMatching(/internal error.*\/bad.*RangeError: Invalid.*at /)])
  })

  it('is not archived when its headers forbid that', async () => {
    open({ parse: failsOn('bad') })
    const headers = ['Content-Type: text/html', 'X-Robots-Tag: noarchive']
    await path.settleExchange(exchangeOf('bad', { headers }))
    expect(path.filled.rows[0]).toMatchObject({ outcome: 'INTERNAL_ERROR', warcOffset: -1 })
  })

  it('ends the agent when the disk is what failed', async () => {
    const error = Object.assign(new Error('no space left'), { code: 'ENOSPC', syscall: 'write' })
    open({
      parse: () => {
        throw error
      },
    })
    await expect(path.settleExchange(exchangeOf('bad'))).rejects.toBe(error)
  })
})

describe('a page that cannot be put into the pack', () => {
  it('is settled without a record, and leaves no half of one', async () => {
    open({})
    await path.settleExchange(exchangeOf('before'))
    const broken = exchangeOf('bad')
    Object.defineProperty(broken, 'requestHead', {
      get: () => {
        throw new TypeError('no request')
      },
    })
    expect(await path.settleExchange(broken)).toBe(false)
    await path.settleExchange(exchangeOf('after'))
    expect(rows()).toEqual(['before OK', 'bad INTERNAL_ERROR', 'after OK'])
    const [before, bad, after] = path.filled.rows
    expect(bad).toMatchObject({ status: 0, warcOffset: -1 })
    expect(after!.warcOffset).toBeGreaterThan(before!.warcOffset)
    expect(path.filled.cell).toMatchObject({ settled: 3, pages: 2, discovered: 2 })
    expect(await path.seal()).toBe(3)
  })
})

describe('a sitemap that throws', () => {
  it('has an outcome, and what it listed before stays', async () => {
    open({})
    const body = `<urlset><url><loc>${SITE}/one</loc></url></urlset>`
    const headers = ['Content-Type: application/xml']
    const exchange = exchangeOf('sitemap.xml', { rawBody: Buffer.from(body), headers })
    Object.defineProperty(exchange, 'truncated', {
      get: () => {
        throw new TypeError('no end')
      },
    })
    expect(await path.settleExchange(exchange, sitemapMark)).toBe(false)
    expect(outcomes()).toEqual({ INTERNAL_ERROR: 1 })
    expect(path.filled.cell).toMatchObject({ discovered: 1, settled: 1 })
  })
})

describe('a guest that throws', () => {
  const guestOf = (module: GuestModule) =>
    new TrustedGuest(module, { keywords: [], minKeywords: 1, keep: undefined })
  const fails = (url: string) => {
    if (url.endsWith('/one')) throw new Error('no such table')
    return true
  }

  it('when it is asked for a link costs that link, and no other', async () => {
    open({ guest: guestOf({ accept: fails, score: () => 1 }) })
    expect(await path.settleExchange(exchangeOf('page'))).toBe(true)
    expect(outcomes()).toEqual({ OK: 1, GUEST_THREW: 1 })
    expect(path.filled.cell.discovered).toBe(1)
    expect(path.faults).toEqual([expect.stringMatching(/guest failed.*\/one.*accept.*no such table/)])
  })

  it('when it is asked for a score does the same', async () => {
    open({ guest: guestOf({ score: url => Number(fails(url)) }) })
    expect(await path.settleExchange(exchangeOf('page'))).toBe(true)
    expect(outcomes()).toEqual({ OK: 1, GUEST_THREW: 1 })
  })

  it.each([
    ['throws', () => void fails(`${SITE}/one`)],
    ['rejects', () => Promise.reject(Object.assign(new Error('gone'), { syscall: 'open' }))],
  ])('when it is shown a page (%s) leaves the page as it is, but for its outcome', async (_, extract) => {
    open({ guest: guestOf({ extract }) })
    expect(await path.settleExchange(exchangeOf('page'))).toBe(true)
    expect(rows()).toEqual(['page GUEST_THREW'])
    expect(path.filled.rows[0]).toMatchObject({ kept: '', warcLength: expect.any(Number) })
    expect(path.filled.rows[0].warcOffset).toBeGreaterThanOrEqual(0)
    expect(outcomes()).toEqual({ GUEST_THREW: 1 })
    expect(path.filled.cell).toMatchObject({ settled: 1, pages: 1, discovered: 2 })
  })
})
