/**
 * Detects endless calendars and pagers with numbers (`?week=2300`, `?page=9001`), a walk from number to
 * number. A walk is followed while it finds anything; a long one that has long repeated itself, except for
 * its numbers, is over.
 */
import { fingerprint, takeFingerprint } from '../../../model/bytes/index.js'
import { pathStart } from '../../../model/url/index.js'
import { addressWords, hashOfWords, pageWords } from './page-words.js'
import { shapeOf, WalkLeaves } from './walk-leaves.js'

/**
 * The length from which a walk is judged, and the number of empty pages in a row that end it. A few thousand
 * pages with few words can be a small site; a calendar without entries is recognised sooner.
 */
const LONG = 2_500
const LONG_CALENDAR = 100
const CALENDAR =
  /(?<![a-z])(?:weeks?|months?|days?|years?|dates?|calendar|cal|agenda|schedule|events?)(?![a-z])/i
const REMEMBERED = 16
const WALKS = 64
/** Pictures are compared by their names, in this part of a page. */
const LOOKED_AT = 64 * 1024
const SHOWN = /\bsrc\s*=\s*["']?([^"'\s>]+)/gi

interface Walk {
  /** Steps before it is judged, and empty pages that end it. */
  readonly patience: number
  steps: number
  empty: number
  isOver: boolean
  readonly contents: number[]
}

export class NumberWalks {
  readonly #walks = new Map<number, Walk>()
  readonly #leaves = new WalkLeaves()
  /** Shapes of long walks: links to their pages are not new content. */
  readonly #shapes = new Set<number>()

  /** True if a new URL, found on `via`, continues a walk that is over. */
  judge(url: string, via: string): boolean {
    const key = stepOf(url, via)
    if (key === null) return false
    const walk = this.#walkOf(key, url)
    if (!walk.isOver) walk.steps++
    return walk.isOver
  }

  /** From the journal. */
  replay(url: string, via: string, wasRefused: boolean): void {
    const key = stepOf(url, via)
    if (key === null) return
    const walk = this.#walkOf(key, url)
    walk.steps++
    if (wasRefused) walk.isOver = true
  }

  /** The walk of a page if that is long enough to be judged. */
  longWalk(url: string, via: string): number | null {
    const key = stepOf(url, via)
    const walk = key === null ? undefined : this.#walks.get(key)
    if (walk === undefined || walk.steps < walk.patience) return null
    const shape = shapeOf(url)
    if (shape !== null && this.#shapes.size < WALKS) this.#shapes.add(shape)
    return key
  }

  /** Whether a new URL on a page of a long walk is more than its next step. */
  isFruit(key: number, url: string, page: string): boolean {
    const walk = this.#walks.get(key)
    return stepOf(url, page) !== key && this.#leaves.isFruit(url, walk?.patience ?? LONG)
  }

  /** The kind of a page to which long walks link besides their steps; null for other pages. */
  leafOf(url: string): number | null {
    return this.#leaves.kindOf(url)
  }

  /** Whether a new URL on such a page is more than another page of a kind, or a step of a walk. */
  isFruitOfLeaf(url: string): boolean {
    const shape = shapeOf(url)
    return shape === null || !(this.#shapes.has(shape) || this.#leaves.kindOf(url) !== null)
  }

  readLeaf(kind: number, url: string, body: Uint8Array, isFruitful: boolean): void {
    this.#leaves.read(kind, contentOf(url, body), isFruitful)
  }

  /** Takes a page of a long walk. `isFruitful`: it has new URLs besides the next steps. */
  read(key: number, url: string, body: Uint8Array, isFruitful: boolean): void {
    const walk = this.#walkOf(key, url)
    const content = contentOf(url, body)
    const isKnown = walk.contents.includes(content)
    walk.empty = isKnown && !isFruitful ? walk.empty + 1 : 0
    if (walk.empty >= walk.patience) walk.isOver = true
    if (isKnown) return
    walk.contents.push(content)
    if (walk.contents.length > REMEMBERED) walk.contents.shift()
  }

  #walkOf(key: number, url: string): Walk {
    let walk = this.#walks.get(key)
    if (walk === undefined) {
      if (this.#walks.size >= WALKS) this.#walks.delete(this.#walks.keys().next().value as number)
      const patience = CALENDAR.test(url.slice(pathStart(url))) ? LONG_CALENDAR : LONG
      walk = { patience, steps: 0, empty: 0, isOver: false, contents: [] }
      this.#walks.set(key, walk)
    }
    return walk
  }
}

/** Identifies a walk by one of its steps; null if the two URLs differ in more than one number. */
export function stepOf(url: string, via: string): number | null {
  const shorter = Math.min(url.length, via.length)
  let start = 0
  while (start < shorter && url.charCodeAt(start) === via.charCodeAt(start)) start++
  while (start > 0 && isDigit(url.charCodeAt(start - 1))) start--
  let end = 0
  while (
    end < shorter - start &&
    url.charCodeAt(url.length - 1 - end) === via.charCodeAt(via.length - 1 - end)
  )
    end++
  while (end > 0 && isDigit(url.charCodeAt(url.length - end))) end--
  if (start < pathStart(url) || !areDigits(url, start, url.length - end)) return null
  if (!areDigits(via, start, via.length - end)) return null
  takeFingerprint(`${url.slice(0, start)}#${url.slice(url.length - end)}`)
  return fingerprint.low
}

function areDigits(text: string, from: number, to: number): boolean {
  for (let i = from; i < to; i++) if (!isDigit(text.charCodeAt(i))) return false
  return from < to
}

function isDigit(c: number): boolean {
  return c >= 0x30 && c <= 0x39
}

/** A hash of a page's text without numbers, and of the names of its pictures. */
function contentOf(url: string, body: Uint8Array): number {
  const text = Buffer.from(body.buffer, body.byteOffset, Math.min(body.length, LOOKED_AT)).toString('latin1')
  let shown = ''
  for (const [, source] of text.matchAll(SHOWN)) shown += `${source} `
  takeFingerprint(shown)
  const said = hashOfWords(pageWords(body, true), addressWords(url))
  return (said ^ fingerprint.low) >>> 0
}
