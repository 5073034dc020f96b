/**
 * A robots.txt that has moved to a site of another agent: the hop needs that group's turn, waits for it
 * without holding its own, and gets it although its holder is far from done.
 *
 * @module-tag deep
 */
import { describe, expect, it } from 'vitest'
import { ASSIGNMENTS } from '../../src/config/index.js'
import { type SimulationOptions, simulate, smallRun } from '../../src/simulate/index.js'

type Web = NonNullable<SimulationOptions['web']>

const LATENCY_MS = 50
const HOSTS = ['busy.test', 'moved.test']
const PAGES = [300, 5]
const MOVED = 'http://moved.test/robots.txt'
const KEPT = 'http://busy.test/of/moved/robots.txt'

/** Two sites, each a list of pages; the second keeps its rules with the first. */
const web: Web = {
  pages: PAGES[0] + PAGES[1],
  seeds: HOSTS.map(host => `http://${host}/`),
  siteOf: host => HOSTS.indexOf(host),
  crawlDelayMs: () => 0,
  latencyMs: () => LATENCY_MS,
  isForbidden: url => url === 'http://moved.test/4',
  answer: url => {
    if (url === MOVED) return { status: 301, body: '', location: KEPT }
    if (url === KEPT) return { status: 200, body: 'User-agent: *\nDisallow: /4\n' }
    const { hostname, pathname } = new URL(url)
    if (pathname === '/robots.txt') return { status: 404, body: '' }
    const next = Number(pathname.slice(1)) + 1
    const link = next < PAGES[HOSTS.indexOf(hostname)] ? `<a href="/${next}">x</a>` : ''
    return { status: 200, body: link }
  },
  *truth() {
    for (const [site, host] of HOSTS.entries())
      for (let page = 0; page < PAGES[site]; page++) {
        const url = `http://${host}/${page === 0 ? '' : page}`
        yield [url, web.isForbidden(url) ? 'ROBOTS_DISALLOWED' : 'OK']
      }
  },
}

describe.each(ASSIGNMENTS)('%s', assign => {
  it('asks once for the robots.txt that moved, and for its pages long before the other site is done', async () => {
    let hops = 0
    // Which agent gets which site depends on the seed; where one has both, there is nobody to wait for.
    for (let seed = 1; seed <= 6; seed++) {
      const options = { ...smallRun(seed), agents: 2, lanes: 1, web, faults: [], assign, keepsHistory: true }
      const { violations, history } = await simulate(options)
      expect(violations, `seed ${seed}`).toEqual([])
      const asked = history.about(['.test']).filter(line => line.includes(' requests '))
      const whoAsks = (url: string) => asked.filter(line => line.endsWith(` ${url}`)).map(secondsAndAgent)
      const [first, ...more] = whoAsks(MOVED)
      expect(more).toEqual([])
      expect(whoAsks(KEPT)).toHaveLength(1)
      const [last] = whoAsks('http://moved.test/3')
      const [end] = whoAsks('http://busy.test/299')
      const [before] = whoAsks('http://busy.test/')
      if (first.agent === before.agent) continue
      hops++
      expect(last.seconds).toBeLessThan(end.seconds / 2)
    }
    // In phases it depends on the URLs alone, and these two are of one node: the hop waits for its window.
    if (assign !== 'phases') expect(hops).toBeGreaterThan(0)
  })
})

function secondsAndAgent(line: string): { seconds: number; agent: string } {
  const [seconds, , agent] = line.trim().split(/\s+/)
  return { seconds: Number(seconds), agent }
}
