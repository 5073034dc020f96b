/**
 * URLs as the crawl knows them: WHATWG-normalised, http or https, without fragment and without credentials.
 * A normalised URL is a plain string; `new URL` is expensive and stays off the hot path.
 */
import { getDomain } from 'tldts'

/** host[:port] of a URL: what politeness is kept for. */
export type Site = string

/** The normalised form of `raw` (resolved against `base`), or null when it cannot be crawled. */
export function normaliseUrl(raw: string, base?: string): string | null {
  let url: URL
  try {
    url = new URL(raw, base)
  } catch {
    return null
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return null
  if (url.hostname === '') return null
  url.hash = ''
  url.username = ''
  url.password = ''
  return url.href
}

/** Index of the first character after the authority ('/' in every normalised URL). */
export function pathStart(url: string): number {
  return url.indexOf('/', 8)
}

/** `https://host:port`, without the slash. */
export function originOf(url: string): string {
  return url.slice(0, pathStart(url))
}

export function siteOf(url: string): Site {
  return url.slice(url.indexOf('/') + 2, pathStart(url))
}

/** Path and query, as sent in a request line. */
export function targetOf(url: string): string {
  return url.slice(pathStart(url))
}

/** The host of a site, without its port; IPv6 addresses keep their brackets. */
export function hostOf(site: Site): string {
  const colon = site.lastIndexOf(':')
  return colon > site.lastIndexOf(']') ? site.slice(0, colon) : site
}

/** Registrable domain by the public suffix list (private section included); the host itself where there is none. */
export function registrableDomain(site: Site): string {
  const host = hostOf(site)
  return getDomain(host, { allowPrivateDomains: true }) ?? host
}

/** `www.example.org` and `example.org` count as one host for scope. */
export function withoutWww(host: string): string {
  return host.startsWith('www.') ? host.slice(4) : host
}

// Characters that pass through the WHATWG parser unchanged in a path, and do not end it.
const PLAIN = new Uint8Array(128)
for (const c of "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_~!$&'()*+,;=@/.%")
  PLAIN[c.charCodeAt(0)] = 1
// In a query, these too. (' is encoded there, so it is not plain.)
const PLAIN_QUERY = Uint8Array.from(PLAIN)
for (const c of '?:') PLAIN_QUERY[c.charCodeAt(0)] = 1
PLAIN_QUERY[0x27] = 0

/**
 * Resolves the links of one page. Plain same-origin links take a path of slices and concatenations; whatever holds
 * a character with a meaning of its own goes through `new URL`. The property test holds both to the same answer.
 */
export class LinkResolver {
  readonly #base: string
  readonly #origin: string
  readonly #directory: string

  /** `base` must be a normalised URL. */
  constructor(base: string) {
    this.#base = base
    this.#origin = originOf(base)
    const query = base.indexOf('?')
    this.#directory = base.slice(0, base.lastIndexOf('/', query < 0 ? base.length : query) + 1)
  }

  /** The normalised URL, or null when the link is not http(s) or not a URL. */
  resolve(href: string): string | null {
    return this.#resolvePlain(href) ?? normaliseUrl(href, this.#base)
  }

  #resolvePlain(href: string): string | null {
    const absolute = href.startsWith(this.#origin) && href.charCodeAt(this.#origin.length) === 0x2f
    const end = plainEnd(href, absolute ? this.#origin.length : 0)
    if (end < 0) return null
    const link = end === href.length ? href : href.slice(0, end)
    if (absolute) return hasDotSegment(link) ? null : link
    if (link === '') return this.#base
    const first = link.charCodeAt(0)
    if (first === 0x3f) return null
    if (hasDotSegment(link)) return null
    if (first === 0x2f) {
      if (link.charCodeAt(1) === 0x2f) return null
      return this.#origin + link
    }
    if (first === 0x2e) return this.#climb(link)
    return this.#directory + link
  }

  /** `../x`: the only dot segments that pages use often; `./x` and the rest go the slow way. */
  #climb(link: string): string | null {
    let directory = this.#directory
    let rest = link
    while (rest.startsWith('../')) {
      rest = rest.slice(3)
      const parent = directory.lastIndexOf('/', directory.length - 2)
      if (parent >= this.#origin.length) directory = directory.slice(0, parent + 1)
    }
    if (rest.charCodeAt(0) === 0x2e || rest.charCodeAt(0) === 0x2f || rest.charCodeAt(0) === 0x3f) return null
    if (directory.includes('%2e') || directory.includes('%2E')) return null
    return directory + rest
  }
}

/** Where the fragment begins or the string ends; -1 when a character needs the full parser. */
function plainEnd(href: string, from: number): number {
  let plain = PLAIN
  for (let i = from; i < href.length; i++) {
    const c = href.charCodeAt(i)
    if (c === 0x23) return i
    if (c === 0x3f && plain === PLAIN) plain = PLAIN_QUERY
    else if (c > 127 || plain[c] === 0) return -1
  }
  return href.length
}

/** True when a path could hold `.` or `..` segments (also percent-encoded) past its start. */
function hasDotSegment(link: string): boolean {
  return link.includes('/.') || link.includes('/%2e') || link.includes('/%2E') || link.startsWith('%2')
}
