/**
 * Detects sites that answer 200 to any URL. Pages are compared once their title has occurred often. Pages
 * that only differ in a session token bring no new links, so their links are not followed. Other similar
 * pages (same text; different tokens, which may name pictures of a gallery; no difference, as with the same
 * frames in every folder, whose relative links differ) are compared with the answer to a probe: one request
 * for a URL that cannot exist.
 */
import { fingerprint, takeFingerprint } from '../../../model/bytes/index.js'
import { addressWords, hashOfWords, pageSkeleton, pageWords, type Skeleton } from './page-words.js'

const SAME_TITLE = 8
const SAME_CONTENT = 8
/** Pages with fewer words outside of links are not judged. */
const ENOUGH_WORDS = 3
const REMEMBERED = 256

type Probe = 'not-needed' | 'wanted' | 'sent' | 'answered'

export class LookAlikes {
  readonly #titles = new Map<number, number>()
  readonly #skeletons = new Map<number, number>()
  readonly #words = new Map<number, number>()
  #probe: Probe = 'not-needed'
  /** The answer for a missing page; null if that is a proper error. */
  #missing: Missing | null = null

  /** True for a page that equals many before it. */
  isAlike(url: string, title: string, body: Uint8Array): boolean {
    takeFingerprint(title)
    if (counted(this.#titles, fingerprint.low) < SAME_TITLE) return false
    const skeleton = pageSkeleton(body)
    const times = counted(this.#skeletons, skeleton.hash)
    if (times >= SAME_CONTENT && skeleton.isWhole && skeleton.hasToken) return true
    if (this.#probe === 'answered')
      return this.#missing !== null && isMissing(url, body, skeleton, this.#missing)
    const words = pageWords(body, false)
    const saidTimes =
      words.length < ENOUGH_WORDS ? 0 : counted(this.#words, hashOfWords(words, addressWords(url)))
    if (Math.max(times, saidTimes) >= SAME_CONTENT && this.#probe === 'not-needed') this.#probe = 'wanted'
    return false
  }

  /** True once, when a page that cannot exist should be requested. */
  takeProbe(): boolean {
    if (this.#probe !== 'wanted') return false
    this.#probe = 'sent'
    return true
  }

  /** Takes the answer to the probe; null for a proper error. */
  probed(url: string, body: Uint8Array | null): void {
    this.#probe = 'answered'
    if (body === null) return
    this.#missing = {
      skeleton: pageSkeleton(body).hash,
      words: pageWords(body, false),
      own: addressWords(url),
    }
  }
}

interface Missing {
  readonly skeleton: number
  readonly words: readonly number[]
  readonly own: ReadonlySet<number>
}

/** Ignores words of both URLs, which may be part of one URL and of every page. */
function isMissing(url: string, body: Uint8Array, skeleton: Skeleton, missing: Missing): boolean {
  if (skeleton.hash === missing.skeleton) return true
  const words = pageWords(body, false)
  if (words.length < ENOUGH_WORDS || missing.words.length < ENOUGH_WORDS) return false
  const without = new Set([...addressWords(url), ...missing.own])
  return hashOfWords(words, without) === hashOfWords(missing.words, without)
}

function counted(counts: Map<number, number>, key: number): number {
  const count = (counts.get(key) ?? 0) + 1
  if (count === 1 && counts.size >= REMEMBERED) counts.delete(counts.keys().next().value as number)
  counts.set(key, count)
  return count
}
