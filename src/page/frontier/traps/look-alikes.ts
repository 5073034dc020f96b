/**
 * Sites that answer 200 to anything. Their pages are looked at only once a title has come often; then the
 * bytes are compared, without the token of a session: pages that differ in nothing else bring no new links,
 * so nothing is lost by not following them. Pages that only say the same, differ in tokens that may be names
 * of honest things (pictures of a gallery), or do not differ at all (the same frames or forwarding page in
 * every folder, whose relative links lead elsewhere each time) are compared with the answer to an address
 * that cannot exist: a probe, one request for a site that is suspected.
 */
import { fingerprint, takeFingerprint } from '../../../model/bytes/index.js'
import { addressWords, hashOfWords, pageSkeleton, pageWords, type Skeleton } from './page-words.js'

const SAME_TITLE = 8
const SAME_CONTENT = 8
/** Fewer words outside of links say nothing about a page. */
const ENOUGH_WORDS = 3
const REMEMBERED = 256

type Probe = 'not-needed' | 'wanted' | 'sent' | 'answered'

export class LookAlikes {
  readonly #titles = new Map<number, number>()
  readonly #skeletons = new Map<number, number>()
  readonly #words = new Map<number, number>()
  #probe: Probe = 'not-needed'
  /** What the site says where there is nothing; null when it says so honestly. */
  #missing: Missing | null = null

  /** True for a page that is the same as many before it. */
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

  /** True once, when somebody should ask for a page that cannot exist. */
  takeProbe(): boolean {
    if (this.#probe !== 'wanted') return false
    this.#probe = 'sent'
    return true
  }

  /** The answer to the probe; null when it was an honest error. */
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

/** Words of either address count on neither side: `page` may be part of one of them and of every page. */
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
