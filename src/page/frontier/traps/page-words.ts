/**
 * Reduces pages to hashes of their words, to compare the pages of a site. Words with digits are ignored.
 * Needs no tree and no strings.
 */

const LT = 0x3c
const GT = 0x3e
const LONGEST_WORD = 64
/** Enough to tell pages apart. */
const WORDS = 4_096

/** The hashes of a page's words in order; `withLinks` includes the text of links. */
export function pageWords(body: Uint8Array, withLinks: boolean): readonly number[] {
  const words: number[] = []
  let inLink = false
  let i = 0
  while (i < body.length && words.length < WORDS) {
    const c = body[i] as number
    if (c === LT) {
      const tag = tagAt(body, i)
      if (tag === 'a' || tag === '/a') inLink = tag === 'a'
      i = tag === 'script' || tag === 'style' ? skipElement(body, i, tag) : skipTag(body, i)
      continue
    }
    if (!isWordByte(c)) {
      i++
      continue
    }
    let word = 0
    let hasDigit = false
    const start = i
    for (; i < body.length && isWordByte(body[i] as number); i++) {
      const b = body[i] as number
      if (b >= 0x30 && b <= 0x39) hasDigit = true
      word = Math.imul(word ^ lower(b), 0x01000193)
    }
    if (!hasDigit && (withLinks || !inLink) && i - start <= LONGEST_WORD) words.push(word)
  }
  return words
}

/** A hash of the words that are not in `without`. */
export function hashOfWords(words: readonly number[], without: ReadonlySet<number>): number {
  let hash = 0x811c9dc5
  for (const word of words) {
    if (!without.has(word)) hash = Math.imul(hash ^ word, 0x01000193) ^ (hash >>> 15)
  }
  return hash >>> 0
}

export interface Skeleton {
  readonly hash: number
  /** Whether pages with this hash differ at most in one token, repeated at several places. */
  readonly isWhole: boolean
  readonly hasToken: boolean
}

/**
 * Hashes the body with its tags, but without random tokens: at least eight letters and digits, some of both.
 */
export function pageSkeleton(body: Uint8Array): Skeleton {
  let hash = 0x811c9dc5
  let token = 0
  let tokens = 0
  let areSame = true
  let i = 0
  while (i < body.length) {
    if (!isWordByte(body[i] as number)) {
      hash = Math.imul(hash ^ (body[i] as number), 0x01000193) ^ (hash >>> 15)
      i++
      continue
    }
    let word = 0
    let digits = 0
    let letters = 0
    const start = i
    for (; i < body.length && isWordByte(body[i] as number); i++) {
      const b = body[i] as number
      if (b >= 0x30 && b <= 0x39) digits++
      else letters++
      word = Math.imul(word ^ b, 0x01000193)
    }
    if (i - start >= 8 && digits > 0 && letters > 0) {
      if (tokens++ === 0) token = word
      else if (word !== token) areSame = false
      continue
    }
    hash = Math.imul(hash ^ word, 0x01000193) ^ (hash >>> 15)
  }
  return { hash: hash >>> 0, isWhole: areSame && tokens !== 1, hasToken: tokens > 0 }
}

/** Hashes of the words in a URL, which error pages repeat. */
export function addressWords(url: string): Set<number> {
  const words = new Set<number>()
  for (const text of url.toLowerCase().split(/[^\da-z]+/)) {
    let word = 0
    for (let i = 0; i < text.length; i++) word = Math.imul(word ^ text.charCodeAt(i), 0x01000193)
    if (text !== '') words.add(word)
  }
  return words
}

/** Letters, digits and all bytes beyond ASCII. */
function isWordByte(c: number): boolean {
  return (c >= 0x30 && c <= 0x39) || ((c | 0x20) >= 0x61 && (c | 0x20) <= 0x7a) || c >= 0x80
}

function lower(c: number): number {
  return c >= 0x41 && c <= 0x5a ? c | 0x20 : c
}

/** The name of a tag that matters here; empty for others. */
function tagAt(body: Uint8Array, at: number): string {
  const c = (body[at + 1] as number) | 0x20
  if (c === 0x61 && !isWordByte(body[at + 2] ?? 0)) return 'a'
  if (body[at + 1] === 0x2f && ((body[at + 2] as number) | 0x20) === 0x61 && body[at + 3] === GT) return '/a'
  if (c !== 0x73) return ''
  const name = String.fromCharCode(...body.subarray(at + 1, at + 7)).toLowerCase()
  return name === 'script' ? name : name.startsWith('style') ? 'style' : ''
}

function skipTag(body: Uint8Array, at: number): number {
  const end = body.indexOf(GT, at)
  return end < 0 ? body.length : end + 1
}

function skipElement(body: Uint8Array, at: number, name: string): number {
  for (let i = skipTag(body, at); i < body.length; i++) {
    i = body.indexOf(LT, i)
    if (i < 0) return body.length
    if (body[i + 1] !== 0x2f) continue
    const end = String.fromCharCode(...body.subarray(i + 2, i + 2 + name.length)).toLowerCase()
    if (end === name) return skipTag(body, i)
  }
  return body.length
}
