/** Redirects that lead nowhere, everywhere, or where nobody may go. */
import { expect } from 'vitest'
import { LIMITS } from '../../src/model/index.js'
import { type Case, describeFamily, hostOf, urlOf } from './family.js'
import type { Crawled } from './hostile-crawl.js'
import type { Misbehave } from './hostile-web.js'

/** `to` is given the path asked for. */
const redirects =
  (to: (target: string) => string): Misbehave =>
  async talk => {
    await talk.goodIsDone
    talk.say(`HTTP/1.1 302 Found\r\nLocation: ${to(talk.target)}\r\nContent-Length: 0\r\n\r\n`)
  }

const numberOf = (target: string): number => Number(target.slice(1)) || 0
const asked = ({ events }: Crawled, does: string): string[] =>
  events.filter(event => event.startsWith(`asked ${hostOf(does)}/`) && !event.endsWith('/robots.txt'))

/** The longest path of the growing ones that is still short enough to be asked for: the sixth. */
function longest(): string {
  let target = '/'
  for (let hop = 0; hop < 5; hop++) target += `${'x'.repeat(390)}${target.length}`
  return target
}

/** Where the user's own services would be: nothing may ever knock there. */
const INTERNAL = [
  'http://127.0.0.1:1/',
  'http://[::1]:1/',
  'http://10.0.0.1/',
  'http://192.168.0.1/',
  'http://169.254.169.254/latest/meta-data/',
  'http://[fd00:ec2::254]/latest/',
  'http://100.64.0.1/',
  'http://0.0.0.0:1/',
  'http://2130706433:1/',
  'http://0x7f000001:1/',
  'http://017700000001:1/',
  'http://127.1:1/',
  'http://[::ffff:7f00:1]:1/',
  'http://[64:ff9b::7f00:1]:1/',
  'http://[2002:7f00:1::]:1/',
  'http://localhost:1/',
]

const toInternal = INTERNAL.map(
  (url): Case => ({
    does: `leads to ${url}`,
    misbehave: redirects(() => url),
    outcome: 'REDIRECT',
    row: (row, crawled) => {
      const { host, href } = new URL(url)
      const refusal = crawled.rows.get(href)
      expect(row.redirect).toBe(href)
      expect(refusal?.outcome).toBe('ADDRESS_FORBIDDEN')
      expect(crawled.archived.has(href)).toBe(false)
      const trouble = crawled.report.troubledSites.find(({ site }) => site === host)
      expect(trouble?.code).toBe('ADDRESS_FORBIDDEN')
    },
  }),
)

describeFamily('a redirect that', [
  {
    does: 'leads to itself',
    misbehave: redirects(() => '/'),
    outcome: 'REDIRECT',
    row: (_row, crawled) => expect(asked(crawled, 'leads to itself')).toHaveLength(1),
  },
  {
    does: 'leads to one that leads back',
    misbehave: redirects(target => (target === '/' ? '/back' : '/')),
    outcome: 'REDIRECT',
    row: (_row, crawled) => expect(asked(crawled, 'leads to one that leads back')).toHaveLength(2),
  },
  {
    does: 'is one of a ring of 50',
    misbehave: redirects(target => `/${(numberOf(target) + 1) % 50 || ''}`),
    outcome: 'REDIRECT',
    row: (_row, crawled) => {
      const does = 'is one of a ring of 50'
      expect(asked(crawled, does)).toHaveLength(LIMITS.redirectHops + 1)
      expect(crawled.rows.get(urlOf(does, `/${LIMITS.redirectHops}`))?.outcome).toBe('REDIRECT_BAD')
    },
  },
  {
    does: 'grows with every hop',
    misbehave: redirects(target => `${target}${'x'.repeat(390)}${target.length}`),
    outcome: 'REDIRECT',
    row: (_row, crawled) => {
      const does = 'grows with every hop'
      const last = urlOf(does, longest())
      expect(last.length).toBeLessThan(LIMITS.urlChars)
      expect(crawled.rows.get(last)?.outcome).toBe('REDIRECT_BAD')
      expect(asked(crawled, does)).toHaveLength(6)
    },
  },
  {
    does: 'leads to a mail server',
    misbehave: redirects(() => 'http://192.0.43.8:25/'),
    outcome: 'REDIRECT',
    row: (_row, crawled) =>
      expect(crawled.rows.get('http://192.0.43.8:25/')?.outcome).toBe('ADDRESS_FORBIDDEN'),
  },
  {
    does: 'has letters outside ASCII',
    misbehave: redirects(target => (target === '/' ? '/caf\xe9' : '/')),
    outcome: 'REDIRECT',
    row: row => expect(row.redirect).toBe(urlOf('has letters outside ASCII', '/caf%E9')),
  },
  { does: 'leads to a file', misbehave: redirects(() => 'file:///etc/passwd'), outcome: 'REDIRECT_BAD' },
  {
    does: 'leads to data',
    misbehave: redirects(() => 'data:text/html,<title>data</title>'),
    outcome: 'REDIRECT_BAD',
  },
  { does: 'leads to script', misbehave: redirects(() => 'javascript:alert(1)'), outcome: 'REDIRECT_BAD' },
  { does: 'leads to ftp', misbehave: redirects(() => 'ftp://ftp.test/'), outcome: 'REDIRECT_BAD' },
  {
    does: 'has an unreadable Location',
    misbehave: redirects(() => 'http://[broken/'),
    outcome: 'REDIRECT_BAD',
  },
  {
    does: 'has no Location',
    misbehave: async talk => {
      await talk.goodIsDone
      talk.say('HTTP/1.1 301 Moved\r\nContent-Length: 0\r\n\r\n')
    },
    outcome: 'REDIRECT_BAD',
  },
  ...toInternal,
])
