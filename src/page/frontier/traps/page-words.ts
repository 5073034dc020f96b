/**
 * What a page says, as numbers, for comparing the pages of a site. Words with digits are left out. No tree,
 * no strings.
 */

const LT = 0x3c
const GT = 0x3e
const LONGEST_WORD = 64
/** Enough to tell pages apart. */
const WORDS = 4_096

/** The words of a page as hashes, in their order; `withLinks` takes the text of links too. */
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

/** What the words say, those in `without` left out. */
export function hashOfWords(words: readonly number[], without: ReadonlySet<number>): number {
  let hash = 0x811c9dc5
  for (const word of words) {
    if (!without.has(word)) hash = Math.imul(hash ^ word, 0x01000193) ^ (hash >>> 15)
  }
  return hash >>> 0
}

export interface Skeleton {
  readonly hash: number
  /**
   * Whether nothing differs between pages of this hash but, perhaps, one token, the same at several places.
   */
  readonly isWhole: boolean
  readonly hasToken: boolean
}

/**
 * The body byte by byte, tags included, without tokens drawn by lot: eight or more letters and digits, both
 * of them.
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

/** Hashes of the words in an address: error pages repeat it. */
export function addressWords(url: string): Set<number> {
  const words = new Set<number>()
  for (const text of url.toLowerCase().split(/[^\da-z]+/)) {
    let word = 0
    for (let i = 0; i < text.length; i++) word = Math.imul(word ^ text.charCodeAt(i), 0x01000193)
    if (text !== '') words.add(word)
  }
  return words
}

/** Letters, digits and everything beyond ASCII. */
function isWordByte(c: number): boolean {
  return (c >= 0x30 && c <= 0x39) || ((c | 0x20) >= 0x61 && (c | 0x20) <= 0x7a) || c >= 0x80
}

function lower(c: number): number {
  return c >= 0x41 && c <= 0x5a ? c | 0x20 : c
}

/** The names that matter here; empty for all others. */
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
