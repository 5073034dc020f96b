import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { checkConfig, loadConfig, variableOf } from './load.js'
import { seedUrl } from './seed-url.js'

const load = (flags: Record<string, unknown>, environment = {}, file?: string) =>
  loadConfig({ flags, environment, file })

describe('one schema behind flags, file and environment', () => {
  it('fills in the defaults', () => {
    const config = load({ seeds: ['https://example.org'] })
    expect(config).toMatchObject({
      seeds: ['https://example.org/'],
      scope: 'host',
      delay: 'auto',
      archive: 'gzip',
      lanes: 1000,
    })
    expect(config.maxPages).toBeUndefined()
  })

  it('splits sites by itself, at a number of URLs, or not at all', () => {
    const splitting = (splitSites?: unknown) =>
      load({ seeds: ['http://a.test/'], ...(splitSites === undefined ? {} : { splitSites }) }).splitSites
    expect([splitting(), splitting('off'), splitting('40'), splitting(2)]).toEqual(['auto', 'off', 40, 2])
    for (const wrong of ['1', '2.5', '', 'often']) expect(() => splitting(wrong)).toThrow(/split-?sites/i)
  })

  it('lets a flag win over a variable and a variable over the file', () => {
    const file = join(mkdtempSync(join(tmpdir(), 'orb-')), 'c.json')
    writeFileSync(file, JSON.stringify({ lanes: 1, maxPages: 2, delay: 5, seeds: ['http://a.test/'] }))
    const config = load({ lanes: 3 }, { ORBWEAVER_LANES: '7', ORBWEAVER_MAX_PAGES: '9' }, file)
    expect(config).toMatchObject({ lanes: 3, maxPages: 9, delay: 5 })
  })

  it('takes numbers, sizes, lists and booleans as text', () => {
    const config = load(
      { seeds: 'http://a.test/,http://b.test/' },
      {
        ORBWEAVER_BANDWIDTH: '20M',
        ORBWEAVER_TYPES: 'text/html,image/',
        ORBWEAVER_ASSETS: 'true',
        ORBWEAVER_DELAY: '250',
      },
    )
    expect(config).toMatchObject({
      bandwidth: 20e6,
      types: ['text/html', 'image/'],
      assets: true,
      delay: 250,
    })
    expect(config.seeds).toHaveLength(2)
  })

  it.each([
    [{ seeds: [] }, 'give at least one URL to start from'],
    [
      { seeds: ['ftp://a.test/'] },
      '"ftp://a.test/" is not an http or https URL; write it like https://example.org/',
    ],
    [{ seeds: ['http://a/'], scope: 'galaxy' }, '--scope must be one of page, prefix, host, domain, any'],
    [{ seeds: ['http://a/'], maxPages: 'many' }, '--max-pages must be a number'],
    [{ seeds: ['http://a/'], maxPages: 0 }, '--max-pages must be at least 1'],
    [{ seeds: ['http://a/'], include: ['('] }, '"(" is not a regular expression'],
    [
      { seeds: ['http://a/'], colour: 'red' },
      'unknown setting "colour"; orbweaver crawl --help-all lists them',
    ],
    [
      { seeds: ['http://a/'], archive: 'zip' },
      '--archive must be gzip, gzip:LEVEL (1-9), zstd, zstd:LEVEL (1-19) or none',
    ],
    [{ seeds: ['http://a/'], delay: 'slow' }, '--delay must be milliseconds or "auto"'],
  ])('says in one line what is wrong: %j', (input, message) => {
    expect(() => checkConfig(input)).toThrow(message)
  })

  it('names the variable of a setting', () => {
    expect(variableOf('connectionsPerSite')).toBe('ORBWEAVER_CONNECTIONS_PER_SITE')
  })
})

describe('a seed as a person types it', () => {
  it.each([
    ['example.org', 'https://example.org/'],
    ['localhost:3000', 'http://localhost:3000/'],
    ['HTTP://Example.ORG:80/a#b', 'http://example.org/a'],
    ['example.org/docs?x=1', 'https://example.org/docs?x=1'],
    ['example.org:80/', 'http://example.org/'],
    ['example.org:443/x', 'https://example.org/x'],
    ['example.org:0080', 'http://example.org/'],
    ['example.org:8080/', 'https://example.org:8080/'],
    ['localhost:443', 'https://localhost/'],
    ['127.0.0.1:80/a', 'http://127.0.0.1/a'],
    ['[::1]:443/', 'https://[::1]/'],
    ['intranet:80/', 'http://intranet/'],
    ['intranet:443?q', 'https://intranet/?q'],
    ['intranet', null],
    ['mailto:me@example.org', null],
    ['not a url', null],
  ])('%s', (text, url) => {
    expect(seedUrl(text)).toBe(url)
  })
})
