/**
 * Normalised URLs: WHATWG form, http or https, without fragment and credentials, percent-escapes in normal
 * form (`url-escapes.ts`). A normalised URL is a plain string; `new URL` is too slow for the hot path.
 */
import { createRequire } from 'node:module'
import { isIP } from 'node:net'
import { hexPair, normaliseEscapes } from './url-escapes.js'

/** host[:port] of a URL: what politeness is kept for. */
export type Site = string

/** The normalised form of `raw` (resolved against `base`), or null when it cannot be crawled. */
export function normaliseUrl(raw: string, base?: string): string | null {
  const url = parseUrl(raw, base)
  return url === null ? null : normaliseEscapes(url)
}

/** Without normalising percent-escapes: the spelling that a redirect asks for. */
export function parseUrl(raw: string, base?: string): string | null {
  let url: URL
  try {
    url = new URL(raw, base)
  } catch {
    return null
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return null
  const href = url.href
  // Each setter serialises the URL again, so they are called only if there may be something to remove.
  if (!href.includes('#') && !href.includes('@')) return href
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

export function schemeOf(url: string): 'http' | 'https' {
  return url.startsWith('https:') ? 'https' : 'http'
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
  // Most sites have no port.
  if (!site.includes(':')) return site
  const colon = site.lastIndexOf(':')
  return colon > site.lastIndexOf(']') ? site.slice(0, colon) : site
}

// Loading the public suffix list takes 50 ms of CPU, so it is loaded on first use.
let suffixes: typeof import('tldts') | undefined
/** Cached, because every pack asks for the same few hosts. */
const domains = new Map<string, string>()
const DOMAINS_MAX = 4_096

/** Registrable domain by the public suffix list (private section included), or the host itself. */
export function registrableDomain(site: Site): string {
  const host = hostOf(site)
  const known = domains.get(host)
  if (known !== undefined) return known
  if (host.startsWith('[') || isIP(host) > 0) return host
  suffixes ??= createRequire(import.meta.url)('tldts') as typeof import('tldts')
  const domain = suffixes.getDomain(host, { allowPrivateDomains: true }) ?? host
  if (domains.size >= DOMAINS_MAX) domains.clear()
  domains.set(host, domain)
  return domain
}

/** `www.example.org` and `example.org` count as one host for scope. */
export function withoutWww(host: string): string {
  return host.startsWith('www.') ? host.slice(4) : host
}

// Characters that pass through the WHATWG parser unchanged in a path, and do not end it.
const PLAIN = new Uint8Array(128)
for (const c of "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_~!$&'()*+,;=@/.%")
  PLAIN[c.charCodeAt(0)] = 1
// The same for a query, where ' is encoded.
const PLAIN_QUERY = Uint8Array.from(PLAIN)
for (const c of '?:') PLAIN_QUERY[c.charCodeAt(0)] = 1
PLAIN_QUERY[0x27] = 0

/** Origins that `new URL` has left unchanged: further links of them need not pass through it. */
const settledOrigins = new Set<string>()
const SETTLED_ORIGINS_MAX = 4_096

/**
 * Resolves the links of one page. Plain links are resolved by slices and concatenations, links with special
 * characters by `new URL`. A property test compares both ways.
 */
export class LinkResolver {
  readonly #base: string
  readonly #origin: string
  readonly #page: string
  readonly #path: string
  readonly #directory: string
  readonly #scheme: string

  /** `base` must be a normalised URL. */
  constructor(base: string) {
    this.#base = base
    this.#origin = originOf(base)
    this.#scheme = base.slice(0, base.indexOf('/'))
    const query = base.indexOf('?')
    this.#path = query < 0 ? base : base.slice(0, query)
    // Node's parser drops an empty query of the base, although the standard keeps it.
    this.#page = query === base.length - 1 ? this.#path : base
    this.#directory = this.#path.slice(0, this.#path.lastIndexOf('/') + 1)
  }

  /** The normalised URL, or null when the link is not http(s) or not a URL. */
  resolve(href: string): string | null {
    return this.#resolvePlain(href) ?? this.#resolveFully(href)
  }

  #resolvePlain(href: string): string | null {
    switch (href.charCodeAt(0)) {
      case 0x2f: // '/': the path of this origin, unless another host follows
        if (href.charCodeAt(1) === 0x2f) return this.#resolveAbsolute(this.#scheme + href)
        return join(this.#origin, href, 0, true)
      case 0x2e:
        return this.#climb(href)
      case 0x3f: // '?': another query
        return join(this.#path, href, 0, true)
      case 0x68: // 'h': perhaps http
        return this.#resolveAbsolute(href) ?? join(this.#directory, href, 0, false)
      case 0x23: // '#': the page itself
        return this.#page
      default:
        return href === '' ? this.#page : join(this.#directory, href, 0, false)
    }
  }

  /** An absolute link whose origin is known to be in normal form; null for any other. */
  #resolveAbsolute(href: string): string | null {
    const slash = this.#settledOriginEnd(href)
    return slash < 0 ? null : join('', href, 0, true, slash)
  }

  /** `../x` and `./x`, the only frequent dot segments; others take the slow path. */
  #climb(href: string): string | null {
    let directory = this.#directory
    let rest = 0
    for (;;) {
      if (href.startsWith('./', rest)) rest += 2
      else if (href.startsWith('../', rest)) {
        rest += 3
        const parent = directory.lastIndexOf('/', directory.length - 2)
        if (parent >= this.#origin.length) directory = directory.slice(0, parent + 1)
      } else break
    }
    return href.charCodeAt(rest) === 0x2f ? null : join(directory, href, rest, true)
  }

  /** Index of the path of an absolute link whose origin is known to be in normal form; else -1. */
  #settledOriginEnd(href: string): number {
    if (!href.startsWith('http')) return -1
    const slash = href.indexOf('/', 8)
    if (slash < 0) return -1
    if (slash === this.#origin.length && href.startsWith(this.#origin)) return slash
    return settledOrigins.has(href.slice(0, slash)) ? slash : -1
  }

  #resolveFully(href: string): string | null {
    if (hasOtherScheme(href)) return null
    const url = normaliseUrl(href, this.#base)
    if (url === null) return null
    const slash = pathStart(url)
    if (slash === href.indexOf('/', 8) && url.startsWith(href.slice(0, slash))) {
      if (settledOrigins.size >= SETTLED_ORIGINS_MAX) settledOrigins.clear()
      settledOrigins.add(url.slice(0, slash))
    }
    return url
  }
}

/**
 * `prefix` and the part of `href` from `from` on, without its fragment; null if a character or segment from
 * `path` on needs the full parser. A colon is plain only where no scheme can end (`rooted`, or after a
 * slash).
 */
function join(prefix: string, href: string, from: number, rooted: boolean, path = from): string | null {
  let plain = PLAIN
  let previous = 0x2f
  let slashed = rooted
  let escaped = false
  let end = href.length
  for (let i = path; i < href.length; i++) {
    const c = href.charCodeAt(i)
    if (c === 0x23) {
      end = i
      break
    }
    if (c === 0x3f) plain = PLAIN_QUERY
    else if (plain === PLAIN) {
      if (c === 0x2f) slashed = true
      // A segment that begins with '.' may be a dot segment.
      else if (previous === 0x2f && c === 0x2e) return null
      else if (c > 127 || (plain[c] === 0 && (c !== 0x3a || !slashed))) return null
    } else if (c > 127 || plain[c] === 0) return null
    if (c === 0x25) {
      const octet = hexPair(href, i + 1)
      // An escaped dot may make a dot segment.
      if (octet < 0 || octet === 0x2e) return null
      escaped = true
    }
    previous = c
  }
  const url = prefix + href.slice(from, end)
  return escaped ? normaliseEscapes(url) : url
}

/** Recognises `mailto:`, `javascript:` and the like, which nearly every page has, without the URL parser. */
function hasOtherScheme(href: string): boolean {
  for (let i = 0; i < href.length; i++) {
    const c = href.charCodeAt(i)
    if (c === 0x3a) return i > 0 && !/^https?$/i.test(href.slice(0, i))
    const letter = (c | 0x20) >= 0x61 && (c | 0x20) <= 0x7a
    const other = (c >= 0x30 && c <= 0x39) || c === 0x2b || c === 0x2d || c === 0x2e
    if (!letter && !(other && i > 0)) return false
  }
  return false
}
