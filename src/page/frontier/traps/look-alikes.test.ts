/** Rules that look at what the pages say. */
import { describe, expect, it } from 'vitest'
import { HostNames } from './host-names.js'
import { LookAlikes } from './look-alikes.js'

const at = (path: string) => `https://example.org${path}`

describe('look-alikes', () => {
  const alike = (pages: number, body: (n: number) => string, title = 'T', one = new LookAlikes()) => {
    let found = 0
    for (let n = 0; n < pages; n++)
      found += one.isAlike(at(`/page/${n}`), title, Buffer.from(body(n))) ? 1 : 0
    return found
  }
  const token = (n: number) => `${(n + 0x9a1b2c3d).toString(16)}7f`
  const missing = (n: number) =>
    `<h1>Sorry</h1><p>There is no page ${n} here.</p><a href="/r/${n * 17}">more${n}</a>`

  it('the same page under many addresses but for a token is one', () => {
    expect(
      alike(40, n => `<p>hello <a href="/x/${token(n)}">go</a> or <a href="/y/${token(n)}">there</a>`),
    ).toBeGreaterThan(20)
  })

  it.each<[string, (n: number) => string]>([
    ['lists of things', n => `<a href="/${token(3 * n)}"><img></a><a href="/${token(3 * n + 1)}"><img></a>`],
    ['things with a next one', n => `<img src="/f/${token(n)}.jpg"><a href="/walk/${token(n + 1)}">next</a>`],
    ['the same relative links', () => '<p>nothing here <a href="x">go</a>'],
    ['links to a next one', n => `<a href="/walk/${token(n + 1)}">next</a>`],
  ])('%s under names drawn by lot are not, unless a page that cannot exist is one too', (_, body) => {
    const honest = new LookAlikes()
    expect(alike(100, body, 'T', honest)).toBe(0)
    expect(honest.takeProbe()).toBe(true)
    honest.probed(at('/af31'), null)
    expect(alike(100, body, 'T', honest)).toBe(0)
    const dishonest = new LookAlikes()
    alike(100, body, 'T', dishonest)
    dishonest.probed(at('/af31'), Buffer.from(body(7_777)))
    expect(alike(10, body, 'T', dishonest)).toBe(10)
  })

  it('pages that say the same are, if a page that cannot exist says it too', () => {
    const suspicious = new LookAlikes()
    expect(alike(40, missing, 'T', suspicious)).toBe(0)
    expect(suspicious.takeProbe()).toBe(true)
    expect(suspicious.takeProbe()).toBe(false)
    suspicious.probed(at('/af31'), Buffer.from(missing(77)))
    expect(alike(10, missing, 'T', suspicious)).toBe(10)
    const honest = new LookAlikes()
    alike(40, missing, 'T', honest)
    honest.probed(at('/af31'), null)
    expect(alike(40, missing, 'T', honest)).toBe(0)
  })

  it('lists of different things under one title are not', () => {
    expect(alike(200, n => `<p>Gallery</p><a href="/photo/${n}"><img src="/t/${n}.jpg"></a>`)).toBe(0)
  })
})

describe('hosts of a domain', () => {
  const home = (host: string, text: string) => [`http://${host}/`, host, Buffer.from(text)] as const

  it('a domain whose hosts all say the same gets no new ones', () => {
    const hosts = new HostNames()
    let admitted = 0
    for (let n = 0; n < 50; n++) {
      const host = `h${n}.x.test`
      if (!hosts.admits(host)) continue
      admitted++
      hosts.sawHome(...home(host, `<p>Welcome to ${host}, a fine place to be</p>`))
    }
    expect(admitted).toBe(10)
    expect(hosts.admits('h3.x.test')).toBe(true)
    expect(hosts.admits('x.test')).toBe(true)
    expect(hosts.admits('www.x.test')).toBe(true)
    expect(hosts.admits('other.test')).toBe(true)
  })

  it('hosts that differ are as many as the limit allows; hosts of a public suffix are domains', () => {
    const hosts = new HostNames()
    const words = 'aa bb cc dd ee ff gg hh'.split(' ')
    for (let n = 0; n < 1_000; n++) {
      expect(hosts.admits(`h${n}.x.test`)).toBe(true)
      const text = [n & 7, (n >> 3) & 7, (n >> 6) & 7, n >> 9].map(i => words[i]).join(' ')
      hosts.sawHome(...home(`h${n}.x.test`, text))
    }
    expect(hosts.admits('one-more.x.test')).toBe(false)
    for (let n = 0; n < 2_000; n++) expect(hosts.admits(`user${n}.github.io`)).toBe(true)
  })
})
