/**
 * robots.txt files that cannot be read, say too much, or change their mind: obeyed, or the site is left alone
 * (P9).
 */
import { expect } from 'vitest'
import { LIMITS } from '../../src/model/index.js'
import { type Case, describeFamily, hostOf, urlOf } from './family.js'
import type { Crawled } from './hostile-crawl.js'
import type { Misbehave, Talk } from './hostile-web.js'

const TEXT = 'Content-Type: text/plain\r\n'
const status = (line: string, headers = '') => `HTTP/1.1 ${line}\r\n${headers}Content-Length: 0\r\n\r\n`
const links = (...paths: string[]) => paths.map(path => `<a href="${path}">x</a>`).join('')

/** Answers for robots.txt once the good site is done; shows `page` for everything else. */
const robots =
  (answer: (talk: Talk) => void, page = 'page'): Misbehave =>
  async talk => {
    if (!talk.target.startsWith('/robots.txt')) return talk.page(page)
    await talk.goodIsDone
    answer(talk)
  }

const pagesAsked = ({ events }: Crawled, does: string): string[] =>
  events
    .filter(event => event.startsWith(`asked ${hostOf(does)}/`) && !event.includes('/robots.txt'))
    .map(event => event.slice(`asked ${hostOf(does)}`.length))

/** The site is left alone, and the report says why. */
function refused(does: string, answer: (talk: Talk) => void, code: number, said: RegExp): Case {
  return {
    does,
    ownRobots: true,
    misbehave: robots(answer),
    outcome: 'ROBOTS_GIVEN_UP',
    archived: false,
    row: (_row, crawled) => {
      const site = crawled.report.robots.refusedSites.find(
        ({ origin }) => origin === `http://${hostOf(does)}`,
      )
      expect(pagesAsked(crawled, does)).toEqual([])
      expect(site?.status).toBe(code)
      expect(site?.detail).toMatch(said)
    },
  }
}

/** Redirects `hops` times before the rules come. */
function chain(does: string, hops: number): Misbehave {
  return robots(
    talk => {
      const at = Number(talk.target.split('?')[1] ?? 0)
      if (at < hops)
        talk.say(status('302 Found', `Location: http://${hostOf(does)}/robots.txt?${at + 1}\r\n`))
      else talk.page('User-agent: *\nDisallow: /no\n', TEXT)
    },
    links('/no', '/yes'),
  )
}

const longRobots = () => {
  const head = 'User-agent: *\nDisallow: /early\n'
  const filler = `${'# '.padEnd(99, 'x')}\n`
  return `${head}${filler.repeat(10_000)}Disallow: /late\n`
}

let moody = 0

describeFamily(
  'a robots.txt',
  [
    {
      does: 'of a megabyte',
      ownRobots: true,
      misbehave: robots(talk => talk.page(longRobots(), TEXT), links('/early', '/late')),
      outcome: 'OK',
      row: (_row, crawled) => {
        expect(longRobots().length).toBeGreaterThan(LIMITS.robotsBytes)
        expect(pagesAsked(crawled, 'of a megabyte')).toEqual(['/', '/late'])
        expect(crawled.rows.get(urlOf('of a megabyte', '/early'))?.outcome).toBe('ROBOTS_DISALLOWED')
      },
    },
    refused('that answers 500', talk => talk.say(status('500 Oops')), 500, /answered 500/),
    refused(
      'that answers 503',
      talk => talk.say(status('503 Busy', 'Retry-After: 1\r\n')),
      503,
      /answered 503/,
    ),
    refused('that answers 403', talk => talk.say(status('403 No')), 403, /answered 403/),
    refused(
      'that answers 429',
      talk => talk.say(status('429 Slow', 'Retry-After: 86400\r\n')),
      429,
      /answered 429/,
    ),
    refused('that never comes', () => {}, 0, /HEADERS_TOO_SLOW/),
    refused(
      'that dribbles',
      talk => {
        talk.say(`HTTP/1.1 200 OK\r\n${TEXT}Content-Length: 1000\r\n\r\nUser-agent: *\nDisallow: `)
        void talk.dribble('/', 100)
      },
      200,
      /cut short/,
    ),
    refused(
      'that ends early',
      talk => {
        talk.say(`HTTP/1.1 200 OK\r\n${TEXT}Content-Length: 1000\r\n\r\nUser-agent: *\nDisallow:`)
        talk.socket.end()
      },
      200,
      /cut short/,
    ),
    refused('that is reset', talk => void talk.socket.resetAndDestroy(), 0, /RESET/),
    refused(
      'that redirects to itself',
      talk => talk.say(status('301 Moved', 'Location: /robots.txt\r\n')),
      301,
      /redirects more than 5 times/,
    ),
    refused(
      'that redirects inside',
      talk => talk.say(status('301 Moved', 'Location: http://127.0.0.1:1/robots.txt\r\n')),
      0,
      /ADDRESS_FORBIDDEN/,
    ),
    refused(
      'that redirects to a file',
      talk => talk.say(status('301 Moved', 'Location: file:///etc/passwd\r\n')),
      301,
      /without a usable Location/,
    ),
    {
      does: 'behind 5 redirects',
      ownRobots: true,
      misbehave: chain('behind 5 redirects', 5),
      outcome: 'OK',
      row: (_row, crawled) => expect(pagesAsked(crawled, 'behind 5 redirects')).toEqual(['/', '/yes']),
    },
    {
      does: 'behind 6 redirects',
      ownRobots: true,
      misbehave: chain('behind 6 redirects', 6),
      outcome: 'ROBOTS_GIVEN_UP',
      archived: false,
      row: (_row, crawled) => expect(pagesAsked(crawled, 'behind 6 redirects')).toEqual([]),
    },
    {
      does: 'that is a web page',
      ownRobots: true,
      misbehave: robots(
        talk =>
          talk.page('<!doctype html><html><title>Oops</title><p>Disallow: / is what it says</p></html>'),
        '<title>seen</title>',
      ),
      outcome: 'OK',
      row: row => expect(row.title).toBe('seen'),
    },
    {
      does: 'that is binary',
      ownRobots: true,
      misbehave: robots(talk =>
        talk.page(Buffer.from(Array.from({ length: 9_999 }, (_, i) => (i * 37) & 255))),
      ),
      outcome: 'OK',
    },
    {
      does: 'with a Crawl-delay of 1e9',
      ownRobots: true,
      misbehave: robots(talk => talk.page('User-agent: *\nCrawl-delay: 1000000000\n', TEXT)),
      outcome: 'CRAWL_DELAY_TOO_LONG',
      archived: false,
      row: (_row, crawled) => expect(pagesAsked(crawled, 'with a Crawl-delay of 1e9')).toEqual([]),
    },
    {
      does: 'that changes its mind',
      ownRobots: true,
      misbehave: async talk => {
        if (talk.target === '/robots.txt')
          return talk.page(
            moody++ === 0 ? 'User-agent: *\nDisallow:\n' : 'User-agent: *\nDisallow: /\n',
            TEXT,
          )
        await talk.goodIsDone
        // Longer than --robots-recheck, so that the next page needs the rules anew.
        setTimeout(() => talk.page(links('/next')), 1_500)
      },
      outcome: 'OK',
      row: (_row, crawled) => {
        expect(pagesAsked(crawled, 'that changes its mind')).toEqual(['/'])
        expect(crawled.rows.get(urlOf('that changes its mind', '/next'))?.outcome).toBe('ROBOTS_DISALLOWED')
      },
    },
  ],
  { deadlineSeconds: 5, flags: ['--robots-failures', '1', '--robots-recheck', '1'] },
)
