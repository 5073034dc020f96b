/** A tour over a real server on loopback: what it reads, what it brings home, what it leaves. */
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { row, tourOf } from '../../../test/kit/tour.js'
import { systemClock } from '../../compose/index.js'
import { fingerprint, takeFingerprint } from '../../model/bytes/index.js'
import { Stop } from '../../model/index.js'

const link = (...targets: string[]) => targets.map(target => `<a href="${target}">x</a>`).join('')
const SITE: Record<string, string> = {
  '/': link('/a', '/b', 'http://b.test/x'),
  '/a': `<title>A</title> about health and care ${link('/c', '/')}`,
  '/b': `of nothing ${link('/d', 'http://c.test/')}`,
  '/c': 'Health only',
  '/d': 'CARE and health',
}
/** Begins as gzip does. */
const DAMAGED = Buffer.from('1f8b0800000000000003ffff', 'hex')
const site = (path: string) => SITE[path] ?? null

describe('a tour without keywords', () => {
  it('brings every page home, once, as the server sent it', async () => {
    const { kept, parts, web, end, left } = await tourOf(site)
    expect(kept).toEqual(['/', '/a', '/b', '/c', '/d'])
    expect(left).toEqual([])
    expect(end).toBe('done')
    expect(web.askedOf('a.test')).toEqual(['a.test/', 'a.test/a', 'a.test/b', 'a.test/c', 'a.test/d'])
    const { exchange, discovery } = parts[0]!.visits[1]!
    expect(exchange.body.toString()).toBe(SITE['/a'])
    expect(exchange.responseHead.toString()).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*\r\n\r\n$/)
    expect(discovery).toMatchObject({ depth: 1, via: 'http://a.test/' })
    expect(parts.at(-1)!.manifest).toMatchObject({ end: 'done', judged: 5, kept: 5 })
  })

  it('brings a compressed body home as it was sent, and decoded', async () => {
    const payload = gzipSync('<title>zipped</title>')
    const { parts } = await tourOf(path =>
      path === '/' ? { body: payload, headers: { 'content-encoding': 'gzip' } } : null,
    )
    const { exchange } = parts[0]!.visits[0]!
    expect(exchange.payload.equals(payload)).toBe(true)
    expect(exchange.body.toString()).toBe('<title>zipped</title>')
  })

  it('brings errors and redirects home, and follows redirects within the origin', async () => {
    const answers: Record<string, { status: number; body: string; headers?: Record<string, string> }> = {
      '/': { status: 302, body: '', headers: { location: '/a' } },
      '/a': { status: 302, body: '', headers: { location: 'http://b.test/' } },
    }
    const { kept, web } = await tourOf(path => answers[path] ?? null)
    expect(kept).toEqual(['/', '/a'])
    expect(web.asked).toEqual(['a.test/robots.txt', 'a.test/', 'a.test/a'])
  })

  it('visits nothing that the home has seen', async () => {
    takeFingerprint('http://a.test/b')
    const seen = Buffer.alloc(8)
    seen.writeUInt32LE(fingerprint.low, 0)
    seen.writeUInt32LE(fingerprint.high, 4)
    const { kept } = await tourOf(site, {}, { seen })
    expect(kept).toEqual(['/', '/a', '/c'])
  })

  it('leaves the links of a page to robots alone that asks for that', async () => {
    const { kept } = await tourOf(path =>
      path === '/' ? `<meta name=robots content=nofollow>${link('/a')}` : 'x',
    )
    expect(kept).toEqual(['/'])
  })
})

describe('a tour with keywords', () => {
  it('keeps the pages that have enough of them, and finds those behind others', async () => {
    const { kept, parts, left } = await tourOf(site, { keywords: ['health', 'care'], minKeywords: 2 })
    expect(kept).toEqual(['/a', '/d'])
    expect(parts.reduce((sum, part) => sum + part.judged.length / 2, 0)).toBe(3)
    takeFingerprint('http://a.test/c')
    expect([...parts[0]!.judged]).toEqual(expect.arrayContaining([fingerprint.low, fingerprint.high]))
    // Links to other sites of pages that stay behind.
    expect(left).toEqual(['http://b.test/x', 'http://c.test/'])
    expect(parts.at(-1)!.manifest).toMatchObject({ judged: 5, kept: 2 })
  })

  it('of a site without them sends less than a kilobyte for fifty pages', async () => {
    const { kept, bytes } = await tourOf(
      path => `${link(`/${Number(path.slice(1) || 0) + 1}`)} ${'words '.repeat(500)}`,
      { keywords: ['health'], maxPages: 50 },
    )
    expect(kept).toEqual([])
    expect(bytes).toBeLessThan(1_500)
  })
})

describe('a tour keeps to the rules', () => {
  it('of robots.txt, and leaves what they forbid to the home', async () => {
    const { kept, left, web } = await tourOf(path =>
      path === '/robots.txt'
        ? { type: 'text/plain', body: 'User-agent: orbweaver\nDisallow: /b\n' }
        : site(path),
    )
    expect(kept).toEqual(['/', '/a', '/c'])
    expect(left).toEqual(['/b'])
    expect(web.askedOf('a.test')).not.toContain('a.test/b')
  })

  it('and requests nothing if robots.txt cannot be read for certain', async () => {
    const { end, kept, left, web } = await tourOf(path =>
      path === '/robots.txt' ? { status: 403, body: '' } : site(path),
    )
    expect({ end, kept, left, asked: web.asked }).toEqual({
      end: 'stopped',
      kept: [],
      left: ['/'],
      asked: ['a.test/robots.txt'],
    })
  })

  it('of the bundle: depth, prefixes, number of pages', async () => {
    expect((await tourOf(site, { maxDepth: 1 })).kept).toEqual(['/', '/a', '/b'])
    const prefixes = ['http://a.test/a', 'http://a.test/c']
    expect((await tourOf(site, { prefixes })).kept).toEqual(['/', '/a', '/c'])
    const few = await tourOf(site, { maxPages: 2 })
    expect([few.kept, few.left, few.end]).toEqual([['/', '/a'], ['/b', '/c'], 'limit'])
  })

  it('of the host: number of pages, bytes', async () => {
    const limits = { pages: 3, readBytes: 1e9, delayMs: 0 }
    expect((await tourOf(site, {}, { limits })).kept).toHaveLength(3)
    const short = { pages: 99, readBytes: 10, delayMs: 0 }
    expect((await tourOf(site, {}, { limits: short })).kept).toEqual(['/'])
  })

  it('of endless sites', async () => {
    const { kept } = await tourOf(path => link(`${path}a/b/`))
    expect(kept.length).toBeLessThan(20)
  })

  it('of one origin: other ports, schemes and hosts are not asked', async () => {
    const targets = [
      'http://a.test:1/',
      'https://a.test/x',
      '//b.test/',
      'http://127.0.0.1/',
      '//a.test@b.test/',
    ]
    const { kept, web } = await tourOf(path => (path === '/' ? link(...targets) : 'x'))
    expect(kept).toEqual(['/'])
    expect(web.asked).toEqual(['a.test/robots.txt', 'a.test/'])
  })
})

describe('a tour ends', () => {
  it('before the first request when its lease is over, and leaves all to the home', async () => {
    const { end, kept, left, web } = await tourOf(site, {}, { mayRead: () => false })
    expect({ end, kept, left, asked: web.asked }).toEqual({
      end: 'stopped',
      kept: [],
      left: ['/'],
      asked: [],
    })
  })

  it('when it is stopped, and brings home what it has', async () => {
    const stop = new Stop()
    const { end, kept, left } = await tourOf(
      path => {
        if (path === '/b') stop.abort()
        return site(path)
      },
      {},
      { signal: stop.signal },
    )
    expect(end).toBe('stopped')
    expect(kept).toEqual(['/', '/a'])
    expect(left).toContain('/b')
  })

  it('with what it could not fetch left to the home', async () => {
    const { kept, left } = await tourOf(path =>
      path === '/b' ? { body: DAMAGED, headers: { 'content-encoding': 'gzip' } } : site(path),
    )
    expect(kept).toEqual(['/', '/a', '/c'])
    expect(left).toEqual(['/b'])
  })

  it('is not begun with a frontier of another origin, or none', async () => {
    const other = row('/').replace('a.test', 'b.test')
    await expect(tourOf(site, {}, { frontier: other })).rejects.toThrow('wrong URL')
    const https = row('/').replace('http:', 'https:')
    await expect(tourOf(site, {}, { frontier: row('/') + https })).rejects.toThrow('wrong URL')
    await expect(tourOf(site, {}, { frontier: '' })).rejects.toThrow('empty')
  })
})

it('a pause between requests is kept', async () => {
  const pauses: number[] = []
  const clock = {
    ...systemClock,
    now: systemClock.now,
    monotonic: systemClock.monotonic,
    soon: systemClock.soon,
    grainMs: systemClock.grainMs,
    after: (ms: number, task: () => void) => {
      if (ms === 1_234) pauses.push(ms)
      return systemClock.after(ms === 1_234 ? 0 : ms, task)
    },
  }
  const limits = { pages: 99, readBytes: 1e9, delayMs: 1_234 }
  const { kept } = await tourOf(site, {}, { limits, clock })
  expect(pauses).toHaveLength(kept.length + 1)
})
