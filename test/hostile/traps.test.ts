/** Sites without an end: each is left by a rule with a name, after few requests. */
import { expect } from 'vitest'
import { type Case, describeFamily, hostOf, urlOf } from './family.js'
import type { Crawled } from './hostile-crawl.js'
import type { Talk } from './hostile-web.js'

/** Answers any path; `page` is given path and query. */
const endless =
  (page: (target: string) => string) =>
  async (talk: Talk): Promise<void> => {
    await talk.goodIsDone
    talk.page(page(talk.target))
  }

const link = (to: string) => `<a href="${to}">next</a>`
const requests = ({ events }: Crawled, does: string): number =>
  events.filter(event => event.startsWith(`asked ${hostOf(does)}/`)).length
const refused = ({ rows }: Crawled, does: string, code: string): string[] =>
  [...rows.values()]
    .filter(({ url, outcome }) => url.startsWith(urlOf(does)) && outcome === code)
    .map(({ url }) => url)

/** Left by this rule after at most so many requests. */
function trap(does: string, rule: string, most: number, page: (target: string) => string): Case {
  return {
    does,
    misbehave: endless(page),
    outcome: 'OK',
    row: (_row, crawled) => {
      expect(refused(crawled, does, `TRAP:${rule}`).length, rule).toBeGreaterThan(0)
      expect(crawled.report.outcomes[`TRAP:${rule}`]).toBeGreaterThan(0)
      expect(requests(crawled, does)).toBeLessThan(most)
    },
  }
}

const year = new Date().getUTCFullYear()
let sessions = 0
const sessionId = () =>
  (++sessions * 2_654_435_761).toString(16).padStart(32, 'a1b2c3d4e5f60718').slice(0, 32)

describeFamily(
  'a site of',
  [
    trap('months to come in the path', 'calendar', 60, target => {
      const [, at] = /^\/(\d+)\//.exec(target) ?? [0, year]
      const month = Number(/\/(\d+)$/.exec(target)?.[1] ?? 1)
      return `<title>${at}</title>No events${link(month === 12 ? `/${Number(at) + 1}/01` : `/${at}/${String(month + 1).padStart(2, '0')}`)}`
    }),
    trap('days to come in the query', 'calendar', 1_000, target => {
      const day = Date.parse(/day=([\d-]+)/.exec(target)?.[1] ?? `${year}-11-01`) + 86_400_000
      return `No events${link(`/calendar?day=${new Date(day).toISOString().slice(0, 10)}`)}`
    }),
    trap('weeks by number', 'calendar', 300, target => {
      const week = Number(/week=(\d+)/.exec(target)?.[1] ?? 0)
      return `<title>Week ${week}</title>No events in week ${week}${link(`/?week=${week + 1}`)}`
    }),
    trap('months by offset with their days', 'calendar', 1_500, target => {
      const day = /day=(\d+)/.exec(target)
      if (day)
        return `<title>Day ${day[1]}</title>Nothing on day ${day[1]}${link(`/?day=${Number(day[1]) + 1}`)}`
      const month = Number(/month=(\d+)/.exec(target)?.[1] ?? 0)
      const days = [1, 11, 21].map(number => link(`/?day=${month * 30 + number}`))
      return `<title>Month ${month}</title>Choose a day ${days.join('')}${link(`/?month=${month + 1}`)}`
    }),
    trap('folders inside themselves', 'repeated-segments', 10, () => `<title>folder</title>${link('a/')}`),
    trap('two folders inside each other', 'repeated-segments', 12, () => link('a/b/')),
    trap('ever longer addresses', 'growing', 60, target => link(`${target}-and-${target.length}`)),
    trap('filters that combine', 'facets', 1_300, target => {
      const chosen = new Set((target.split('?')[1] ?? '').split('&').filter(Boolean))
      const more = Array.from({ length: 12 }, (_, i) => `f${i}=${i}`).filter(one => !chosen.has(one))
      return `${[...chosen].join(' ')} ${more.map(one => link(`/?${[...chosen, one].join('&')}`)).join('')}`
    }),
    trap('nothing but the same page', 'soft-404', 60, target => {
      const number = Number(/(\d+)$/.exec(target)?.[1] ?? 0)
      return `<title>Not here</title><p>We could not find that page, sorry.</p>${link(`/p${number + 1}`)}${link('/other')}`
    }),
    {
      does: 'sessions in every link',
      misbehave: endless(target => {
        const number = Number(/p(\d+)/.exec(target)?.[1] ?? 0)
        const next = number < 5 ? `/p${number + 1}` : '/'
        return `<title>${number}</title>${link(`${next};jsessionid=${sessionId().toUpperCase()}`)}${link(`${next}?PHPSESSID=${sessionId()}`)}`
      }),
      outcome: 'OK',
      row: (_row, crawled) => {
        const does = 'sessions in every link'
        expect(crawled.report.outcomes['TRAP:session-ids']).toBeGreaterThan(0)
        // robots.txt, the home page and five more, each once.
        expect(requests(crawled, does)).toBe(7)
      },
    },
  ],
  { flags: ['--max-pages-per-site', '5000'] },
)
