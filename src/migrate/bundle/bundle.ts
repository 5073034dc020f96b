/** A bundle (`.owb`): the order of a home to crawl one site at its source, for one host. */
import type { KeyObject } from 'node:crypto'
import { LIMITS, type Millis } from '../../model/index.js'
import { parseUrl } from '../../model/url/index.js'
import {
  BUNDLE_BYTES,
  BUNDLE_INFLATED_BYTES,
  BUNDLE_LIFE_MS,
  CLOCK_SKEW_MS,
  KEYWORD_CHARS,
  MOST_KEYWORDS,
  MOST_PREFIXES,
} from '../limits.js'
import { type Container, type Opened, openContainer, sealContainer } from './container.js'
import { isCount, isListOf, isText, readObject } from './fields.js'
import { isPublicKey } from './keys.js'

const MAGIC = 'OWBNDL1\n'

export interface BundleManifest {
  /** 32 hexadecimal digits; a host accepts an id once. */
  readonly id: string
  /** Public key of the home, which signs. */
  readonly home: string
  /** Public key of the host for which it is meant. */
  readonly host: string
  /** `https://example.org`: the only one that is visited. */
  readonly origin: string
  readonly cell: string
  readonly epoch: number
  readonly issued: Millis
  readonly expires: Millis
  /** A page is kept if its text has at least `minKeywords` of these; without keywords every page is. */
  readonly keywords: readonly string[]
  readonly minKeywords: number
  /** Links from a seed at most; -1: no limit. */
  readonly maxDepth: number
  /** If there are any, only URLs that begin with one of these are crawled. */
  readonly prefixes: readonly string[]
  /** The home wants no more pages than this. */
  readonly maxPages: number
}

export interface Bundle {
  readonly manifest: BundleManifest
  /** The URLs to begin with, as `writeFrontier` writes them. */
  readonly frontier: Uint8Array
  /** Fingerprints of URLs that need no visit, eight bytes each, low half first. */
  readonly seen: Uint8Array
}

export function sealBundle(bundle: Bundle, privateKey: KeyObject): Promise<Buffer> {
  return sealContainer(MAGIC, bundle.manifest, [bundle.frontier, bundle.seen], privateKey)
}

/** Checks everything but the allow-list and replay, which the host knows. */
export async function openBundle(bytes: Buffer, host: string, now: Millis): Promise<Opened<Bundle>> {
  const limits = { bytes: BUNDLE_BYTES, inflatedBytes: BUNDLE_INFLATED_BYTES }
  const opened = await openContainer(MAGIC, bytes, limits, value => {
    const manifest = readManifest(value)
    if (typeof manifest === 'string') return manifest
    return refusalOf(manifest, host, now) ?? { manifest, signer: manifest.home }
  })
  return opened.ok ? sectionsOf(opened) : opened
}

function sectionsOf({ manifest, sections }: Container<BundleManifest>): Opened<Bundle> {
  const [frontier, seen] = sections
  if (sections.length !== 2 || seen!.length % 8 !== 0) return { ok: false, why: 'its sections are wrong' }
  return { ok: true, manifest, frontier: frontier!, seen: seen! }
}

function refusalOf(manifest: BundleManifest, host: string, now: Millis): string | null {
  const { issued, expires } = manifest
  if (manifest.host !== host) return `it is for another host (${manifest.host})`
  if (expires <= now) return `it expired on ${new Date(expires).toISOString()}`
  if (issued > now + CLOCK_SKEW_MS) return 'it is from the future: a clock is wrong'
  if (expires - issued > BUNDLE_LIFE_MS) return 'it is valid for too long'
  return null
}

function readManifest(value: unknown): BundleManifest | string {
  return readObject<BundleManifest>(value, {
    id: isText(32, /^[0-9a-f]{32}$/),
    home: isPublicKey,
    host: isPublicKey,
    origin: isOrigin,
    cell: isText(2_000, /^[^\p{Cc}]+$/u),
    epoch: isCount(1, Number.MAX_SAFE_INTEGER),
    issued: isCount(0, 8.64e15),
    expires: isCount(0, 8.64e15),
    keywords: isListOf(isText(KEYWORD_CHARS, /\S/), MOST_KEYWORDS),
    minKeywords: isCount(0, MOST_KEYWORDS),
    maxDepth: isCount(-1, 0xffff_ffff),
    prefixes: isListOf(isText(2_048), MOST_PREFIXES),
    maxPages: isCount(1, LIMITS.pagesPerSite),
  })
}

function isOrigin(value: unknown): boolean {
  return typeof value === 'string' && value.length <= 300 && parseUrl(value) === `${value}/`
}
