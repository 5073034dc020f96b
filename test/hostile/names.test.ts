/** Names that do not resolve, resolve to too much, or resolve to where nobody may go. */
import { describe, expect, it } from 'vitest'
import { type DnsAnswer, DnsServer } from '../kit/dns-server.js'
import { GRACE_MS, MB } from './family.js'
import { crawlHostile } from './hostile-crawl.js'
import { HostileWeb } from './hostile-web.js'

const many = (last: number): string[] =>
  Array.from({ length: 500 }, (_, i) => `127.0.${1 + (i >> 8)}.${i & 255}`).with(last, '127.0.0.1')
const PRIVATE_WITHOUT_PORT = ['10.0.0.1', '169.254.169.254', 'fd00:ec2::254', '::1', '100.64.0.1']

const DEADLINE_SECONDS = 30

interface NameCase {
  readonly answer: DnsAnswer
  readonly outcome: string
}

const FORBIDDEN: Readonly<Record<string, NameCase>> = {
  'nxdomain.example': { answer: 'nxdomain', outcome: 'DNS_NOT_FOUND' },
  'servfail.example': { answer: 'servfail', outcome: 'DNS_FAILED' },
  'silent.example': { answer: 'silent', outcome: 'DNS_FAILED' },
  'empty.example': { answer: { addresses: [] }, outcome: 'DNS_NOT_FOUND' },
  'private.example': { answer: { addresses: ['127.0.0.1'] }, outcome: 'ADDRESS_FORBIDDEN' },
  'all-private.example': { answer: { addresses: PRIVATE_WITHOUT_PORT }, outcome: 'ADDRESS_FORBIDDEN' },
  'five-hundred.example': { answer: { addresses: many(0) }, outcome: 'ADDRESS_FORBIDDEN' },
}

/** With `--allow-private` they may be tried. */
const ALLOWED: Readonly<Record<string, NameCase>> = {
  'tenth.example': { answer: { addresses: many(9) }, outcome: 'OK' },
  'beyond.example': { answer: { addresses: many(400) }, outcome: 'CONNECT_REFUSED' },
}

/** Answers when the good site is done; a name is under way with its first question. */
async function crawlNames(cases: Readonly<Record<string, NameCase>>, flags: readonly string[]) {
  const names = Object.keys(cases)
  const web = await HostileWeb.start(new Map(), names)
  const dns = await DnsServer.start(async name => {
    web.events.push(`question ${name}`)
    web.underWay(name)
    await web.goodIsDone
    web.events.push(`answer ${name}`)
    return cases[name]?.answer ?? 'nxdomain'
  })
  const seeds = names.map(name => `http://${name}:${web.port}/`)
  const crawled = await crawlHostile(web, {
    seeds,
    flags: ['--dns', dns.address, '--fetch-timeout', String(DEADLINE_SECONDS), ...flags],
  })
  await dns.close()
  return { crawled, seeds, names }
}

describe.each([
  ['names that lead nowhere good', FORBIDDEN, []],
  ['names with 500 addresses of which the user allows all', ALLOWED, ['--allow-private']],
] as const)('%s', (_, cases, flags) => {
  it('end with their code, after the good site, within memory', async () => {
    const { crawled, seeds, names } = await crawlNames(cases, flags)
    const outcomes = Object.fromEntries(names.map((name, i) => [name, crawled.rows.get(seeds[i])?.outcome]))
    expect(outcomes).toEqual(Object.fromEntries(names.map(name => [name, cases[name]?.outcome])))
    const good = crawled.events.indexOf('good done')
    for (const name of names) {
      expect(crawled.events.indexOf(`question ${name}`), name).toBeLessThan(good)
      expect(crawled.events.indexOf(`answer ${name}`), name).toBeGreaterThan(good)
      const { url = '', fetchMs } = crawled.rows.get(seeds[names.indexOf(name)]) ?? {}
      expect(fetchMs, name).toBeLessThan(DEADLINE_SECONDS * 1_000 + GRACE_MS)
      expect(crawled.archived.has(url), name).toBe(cases[name]?.outcome === 'OK')
      if (cases[name]?.outcome !== 'OK')
        expect(crawled.events.filter(event => event.startsWith(`asked ${name}`))).toEqual([])
    }
    for (const { outcome } of Object.values(cases))
      expect(crawled.report.outcomes[outcome]).toBeGreaterThan(0)
    expect(crawled.end.code, crawled.end.stderr).toBe(0)
    expect(crawled.warc.problems).toEqual([])
    expect(crawled.peakBytes).toBeLessThan(300 * MB)
  }, 300_000)
})
