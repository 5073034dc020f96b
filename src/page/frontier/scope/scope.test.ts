import { describe, expect, it } from 'vitest'
import { Scope, type ScopeKind } from './scope.js'

const scope = (kind: ScopeKind, seed = 'https://example.org/docs/start.html', extra = {}) =>
  new Scope({ seeds: [seed], kind, include: [], exclude: [], ...extra })

describe('scope', () => {
  it.each<[ScopeKind, string, boolean]>([
    ['page', 'https://example.org/docs/start.html', true],
    ['page', 'https://example.org/docs/other.html', false],
    ['prefix', 'https://example.org/docs/deep/x.html', true],
    ['prefix', 'http://www.example.org/docs/x.html', true],
    ['prefix', 'https://example.org/docs', false],
    ['prefix', 'https://example.org/blog/', false],
    ['host', 'https://example.org/blog/', true],
    ['host', 'http://www.example.org/', true],
    ['host', 'https://sub.example.org/', false],
    ['host', 'https://example.org:8443/', false],
    ['domain', 'https://sub.example.org/', true],
    ['domain', 'https://other.org/', false],
    ['any', 'https://other.org/', true],
  ])('%s: %s is %s', (kind, url, accepted) => {
    expect(scope(kind).accepts(url)).toBe(accepted)
  })

  it('a shared host is not a domain: sites of one provider stay apart', () => {
    expect(scope('domain', 'https://one.github.io/').accepts('https://two.github.io/')).toBe(false)
  })

  it('follows a seed that redirects', () => {
    const moved = scope('host', 'https://example.org/')
    expect(moved.accepts('https://new.example.com/x')).toBe(false)
    moved.widenTo('https://new.example.com/home')
    expect(moved.accepts('https://new.example.com/x')).toBe(true)
    expect(moved.accepts('https://example.org/x')).toBe(true)
  })

  it.each<ScopeKind>(['page', 'prefix'])('%s: a seed is the same with other escapes', kind => {
    for (const seed of ['https://example.org/%7eu/%c3%a9/', 'https://example.org/~u/%C3%A9/'])
      for (const url of ['https://example.org/~u/%C3%A9/', 'https://example.org/%7Eu/%c3%a9/'])
        expect(scope(kind, seed).accepts(url), `${seed} ${url}`).toBe(true)
  })

  it('keeps to include and exclude', () => {
    const narrow = scope('host', 'https://example.org/', { include: [/\/docs\//], exclude: [/\.pdf$/] })
    expect(narrow.accepts('https://example.org/docs/a')).toBe(true)
    expect(narrow.accepts('https://example.org/docs/a.pdf')).toBe(false)
    expect(narrow.accepts('https://example.org/blog/a')).toBe(false)
  })

  it('leaves blacklisted hosts and domains alone, also while running', () => {
    const any = scope('any')
    expect(any.accepts('https://ads.example.net/')).toBe(true)
    any.setBlacklist(['example.net'])
    expect(any.accepts('https://ads.example.net/')).toBe(false)
    expect(any.accepts('https://myexample.net/')).toBe(true)
    expect(any.isBlacklisted('example.net:8080')).toBe(true)
    expect(any.isBlacklisted('ads.example.net.')).toBe(true)
    any.setBlacklist(['example.net:8080', '192.0.2.1'])
    expect(any.isBlacklisted('example.net.:8080')).toBe(true)
    expect(
      ['example.net', 'example.net:8080', '192.0.2.1', '[::1]'].map(site => any.isBlacklisted(site)),
    ).toEqual([false, true, true, false])
    any.setBlacklist([])
    expect(any.accepts('https://ads.example.net/')).toBe(true)
  })

  it('what is asked for whatever the scope is not asked for where the user said no', () => {
    const narrow = scope('page', 'https://example.org/', { include: [/\/docs\//], exclude: [/secret/] })
    narrow.setBlacklist(['bad.example'])
    expect(narrow.excludes('https://cdn.example/sitemap.xml')).toBe(false)
    expect(narrow.excludes('https://cdn.example/secret.xml')).toBe(true)
    expect(narrow.excludes('https://maps.bad.example/sitemap.xml')).toBe(true)
  })
})
