import { describe, expect, test } from 'vitest'
import { NO_PAGE_RULES, pageRules } from './page-rules.js'

const NOW = Date.UTC(2026, 10, 16)
const NO_FOLLOW = { ...NO_PAGE_RULES, follow: false }
const NO_INDEX = { ...NO_PAGE_RULES, index: false }
const NO_ARCHIVE = { ...NO_PAGE_RULES, archive: false }
const NONE = { ...NO_PAGE_RULES, follow: false, index: false }

describe('a page that says', () => {
  test.each([
    ['', [], NO_PAGE_RULES],
    ['index, follow', [], NO_PAGE_RULES],
    ['all', ['all'], NO_PAGE_RULES],
    ['nofollow', [], NO_FOLLOW],
    ['noindex,nofollow', [], NONE],
    ['none', [], NONE],
    ['noindex nofollow', [], NONE],
    ['noindex ; nofollow', ['noindex;nofollow'], NONE],
    ['index, follow,nofollow', [], NO_FOLLOW],
    [' max-snippet:20 ,  noarchive', [], NO_ARCHIVE],
    ['nofollowers', [], NO_PAGE_RULES],
    ['', ['nofollow'], NO_FOLLOW],
    ['', ['NoIndex , NoFollow'], NONE],
    ['', ['noindex', 'nofollow'], NONE],
    ['nofollow', ['noindex'], NONE],
    ['follow', ['nofollow'], NO_FOLLOW],
    ['', ['orbweaver: nofollow'], NO_FOLLOW],
    ['', ['OrbWeaver: nofollow'], NO_FOLLOW],
    ['', ['orbweaver/2.0: none'], NONE],
    ['', ['*: noindex'], NO_INDEX],
    ['', ['googlebot: nofollow'], NO_PAGE_RULES],
    ['', ['orbweaver-news: nofollow'], NO_PAGE_RULES],
    ['', ['googlebot: noindex, nofollow'], NO_PAGE_RULES],
    ['', ['googlebot: noindex, orbweaver: noarchive, nofollow'], { ...NO_ARCHIVE, follow: false }],
    ['', ['googlebot: none', 'nofollow'], NO_FOLLOW],
    ['', ['max-image-preview: large, nofollow'], NO_FOLLOW],
    ['', ['unavailable_after: 25 Jun 2010 15:00:00 GMT'], NO_INDEX],
    ['', ['unavailable_after: Fri, 25 Jun 2010 15:00:00 GMT, nofollow'], NONE],
    ['', ['unavailable_after: 2010-06-25'], NO_INDEX],
    ['', ['unavailable_after: Fri, 25 Jun 2060 15:00:00 GMT, nofollow'], NO_FOLLOW],
    ['', ['orbweaver: unavailable_after: 2010-06-25'], NO_INDEX],
    ['', ['unavailable_after: whenever'], NO_PAGE_RULES],
    ['unavailable_after: 2010-06-25, noarchive', [], { ...NO_ARCHIVE, index: false }],
    ['', [':,,: ,nofollow:', 'unavailable_after:', ','], NO_PAGE_RULES],
  ] as const)('meta %j and headers %j', (meta, headers, expected) => {
    expect(pageRules(meta, headers, 'orbweaver', NOW)).toEqual(expected)
  })
})
