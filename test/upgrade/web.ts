/**
 * The web that the fixtures were crawled from: three sites of ten pages that link to each other, a redirect,
 * a page that is gone and one that robots.txt forbids. It must stay as it is: a resumed fixture fetches the
 * rest of it.
 */
import { page, type SmallSite, SmallWeb } from '../kit/small-web.js'
import { listenOn, WEB_PORT } from './fixtures.js'

const HOSTS = ['ant.test', 'bee.test', 'cat.test'] as const
const PAGES = 10

export const SEEDS = HOSTS.map(host => `http://${host}/`)

export async function serveWeb(): Promise<SmallWeb> {
  const sites = Object.fromEntries(
    HOSTS.map((host, i) => [host, siteOf(host, HOSTS[(i + 1) % HOSTS.length])]),
  )
  return listenOn(WEB_PORT, port => SmallWeb.listen(sites, 0, port))
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
