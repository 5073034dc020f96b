/**
 * The web that the fixtures were crawled from: three sites of ten pages that link to each other, a redirect,
 * a page that is gone and one that robots.txt forbids. It must stay as it is: a resumed fixture fetches the
 * rest of it.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { page, type SmallSite, SmallWeb } from '../kit/small-web.js'

/** Crawl directories remember where their names lead, so the web is always served here. */
const PORT = 18_617
const WAIT_MS = 120_000
const LOOK_MS = 200

const HOSTS = ['ant.test', 'bee.test', 'cat.test'] as const
const PAGES = 10

export const SEEDS = HOSTS.map(host => `http://${host}/`)

export function serveWeb(): Promise<SmallWeb> {
  const sites = HOSTS.map((host, i) => [host, siteOf(host, HOSTS[(i + 1) % HOSTS.length])] as const)
  return serveAt(PORT, Object.fromEntries(sites))
}

/** Waits while another test run on this machine serves there. */
export async function serveAt(port: number, sites: Readonly<Record<string, SmallSite>>): Promise<SmallWeb> {
  for (const end = Date.now() + WAIT_MS; ; await sleep(LOOK_MS)) {
    try {
      return await SmallWeb.listen(sites, 0, port)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || Date.now() > end) throw error
    }
  }
}

/** Every URL of a complete crawl, with its outcome and title. */
export function truth(): { url: string; outcome: string; title: string | null }[] {
  const rows = HOSTS.flatMap(host => [
    ...Array.from({ length: PAGES }, (_, n) => ({
      url: urlOf(host, n),
      outcome: 'OK',
      title: titleOf(host, n),
    })),
    { url: `http://${host}/gone`, outcome: 'HTTP_CLIENT_ERROR', title: null },
    { url: `http://${host}/old`, outcome: 'REDIRECT', title: null },
    { url: `http://${host}/private`, outcome: 'ROBOTS_DISALLOWED', title: null },
  ])
  return rows.sort((a, b) => (a.url < b.url ? -1 : 1))
}

function siteOf(host: string, neighbour: string): SmallSite {
  const odd = ['/gone', '/old', '/private', 'http://out-of-scope.example/']
  return path => {
    if (path === '/robots.txt') return { type: 'text/plain', body: 'User-agent: *\nDisallow: /private\n' }
    if (path === '/old') return { status: 301, headers: { location: '/1' }, body: '' }
    const n = path === '/' ? 0 : Number(path.slice(1))
    if (!Number.isInteger(n) || n >= PAGES) return null
    const own = [2 * n + 1, 2 * n + 2].filter(next => next < PAGES).map(next => `/${next}`)
    const links = [...own, urlOf(neighbour, n), ...(n === 0 ? odd : [])]
    const text = `Page ${n} of ${host}. ${'Words to be found again. '.repeat(5 + n)}`
    return {
      type: 'text/html; charset=utf-8',
      headers: { etag: `"${host}-${n}"` },
      body: page(titleOf(host, n), text, links),
    }
  }
}

function urlOf(host: string, n: number): string {
  return `http://${host}/${n === 0 ? '' : n}`
}

function titleOf(host: string, n: number): string {
  return `${host}, page ${n}`
}
