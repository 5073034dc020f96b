import { beforeEach, expect, it } from 'vitest'
import { entryOf, madeSite } from '../../../../test/kit/made-site.js'
import { ManualClock } from '../../../../test/kit/manual-clock.js'
import { sitemapMark } from '../../../model/index.js'
import type { SiteCrawl } from '../site/index.js'
import { UrlRules } from './url-rules.js'

const PAGE = 'http://a.test/page'
const clock = new ManualClock()
let site: SiteCrawl
const codeOf = (url: string, depth: number, isBlacklisted = false) =>
  new UrlRules(3, () => isBlacklisted).refusalOf(site, entryOf(url, { depth }))?.code ?? null

beforeEach(() => {
  site = madeSite({ clock })
})

it('a URL within all limits is not refused', () => expect(codeOf(PAGE, 3)).toBeNull())

it('a URL is refused when it is too deep, or its site is blacklisted or given up', () => {
  expect(codeOf(PAGE, 4)).toBe('TOO_DEEP')
  expect(codeOf(PAGE, 1, true)).toBe('BLACKLISTED')
  site.giveUp('DNS_NOT_FOUND', 'no such name')
  expect(codeOf(PAGE, 1, true)).toBe('SITE_DROPPED')
})

it('the page limit of a site counts unfinished visits, and spares sitemaps', () => {
  for (let i = 0; i < 1_000; i++) site.requestBegan()
  expect(codeOf(PAGE, 1)).toBe('SITE_PAGE_LIMIT')
  expect(codeOf(sitemapMark('http://a.test/sitemap.xml'), 0)).toBeNull()
})
