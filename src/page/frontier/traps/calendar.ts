/**
 * Detects endless calendars. Accepted are dates linked from a page without a date, a walk from date to date
 * between 1970 and the near future, and the days of an accepted month. Refused are dates outside, and a walk
 * that has found only empty pages for long.
 */

import type { Millis } from '../../../model/index.js'
import { CALENDAR_AHEAD_DAYS } from '../../limits.js'
import { dateOf, type UrlDate } from './url-date.js'

const DAY_MS = 86_400_000
/** 1970. Older archives have an index, from which their dates are accepted. */
const EARLIEST_DAY = 0
/** Empty pages in a row, before or after today, that end a walk. */
const EMPTY_PAGES = { month: 24, day: 120 } as const
/** A page is empty if it equals one of this many before it: the months of a year have different names. */
const REMEMBERED = 31
const PATTERNS = 64

interface Pattern {
  /** The range of dates linked from pages without a date. */
  earliest: number
  latest: number
  /** Empty pages in a row, and the day on which they ended the walk: before and after today. */
  readonly empty: [number, number]
  readonly end: [number, number]
  readonly contents: number[]
}

export class Calendars {
  readonly #patterns = new Map<number, Pattern>()
  #via = ''
  #viaDate: UrlDate | null = null

  /** True if a new URL, found on `via`, is to be refused. Remembers accepted ones. */
  judge(url: string, via: string, now: Millis): boolean {
    const date = dateOf(url)
    if (date === null) return false
    const pattern = this.#patternOf(date.pattern)
    const from = this.#dateOfVia(via)
    if (from === null) {
      pattern.earliest = Math.min(pattern.earliest, date.day)
      pattern.latest = Math.max(pattern.latest, date.day)
      return false
    }
    if (isWithin(date, from)) return false
    if (date.day >= pattern.earliest && date.day <= pattern.latest) return false
    const today = now / DAY_MS
    if (date.day > today + CALENDAR_AHEAD_DAYS || date.day < EARLIEST_DAY) return true
    return date.day < pattern.end[0] || date.day > pattern.end[1]
  }

  /** From the journal: a URL, and whether it was refused. */
  replay(url: string, via: string, wasRefused: boolean, now: Millis): void {
    const date = dateOf(url)
    if (date === null) return
    const pattern = this.#patternOf(date.pattern)
    if (this.#dateOfVia(via) === null) {
      pattern.earliest = Math.min(pattern.earliest, date.day)
      pattern.latest = Math.max(pattern.latest, date.day)
    } else if (wasRefused) this.#endAt(pattern, date.day, now)
  }

  /**
   * A page was read. `content`: hash of its text without numbers. `isFruitful`: it has new URLs without a
   * date.
   */
  read(date: UrlDate, content: number, isFruitful: boolean, now: Millis): void {
    const pattern = this.#patternOf(date.pattern)
    const side = date.day < now / DAY_MS ? 0 : 1
    const isEmpty = !isFruitful && pattern.contents.includes(content)
    pattern.empty[side] = isEmpty ? pattern.empty[side] + 1 : 0
    if (!pattern.contents.includes(content)) {
      pattern.contents.push(content)
      if (pattern.contents.length > REMEMBERED) pattern.contents.shift()
    }
    if (pattern.empty[side] >= EMPTY_PAGES[date.unit]) this.#endAt(pattern, date.day, now)
  }

  #endAt(pattern: Pattern, day: number, now: Millis): void {
    if (day < now / DAY_MS) pattern.end[0] = Math.max(pattern.end[0], day)
    else pattern.end[1] = Math.min(pattern.end[1], day)
  }

  #dateOfVia(via: string): UrlDate | null {
    if (via !== this.#via) {
      this.#via = via
      this.#viaDate = via === '' ? null : dateOf(via)
    }
    return this.#viaDate
  }

  #patternOf(key: number): Pattern {
    let pattern = this.#patterns.get(key)
    if (pattern === undefined) {
      if (this.#patterns.size >= PATTERNS) this.#patterns.delete(this.#patterns.keys().next().value as number)
      pattern = {
        earliest: Number.POSITIVE_INFINITY,
        latest: Number.NEGATIVE_INFINITY,
        empty: [0, 0],
        end: [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY],
        contents: [],
      }
      this.#patterns.set(key, pattern)
    }
    return pattern
  }
}

/** Days of the page's month, or URLs of the page's own day, are no walk: they end by themselves. */
function isWithin(date: UrlDate, from: UrlDate): boolean {
  if (date.unit !== 'day') return false
  return from.unit === 'day' ? date.day === from.day : monthOf(date.day) === monthOf(from.day)
}

/** Months since the year 0. */
function monthOf(day: number): number {
  const date = new Date(day * DAY_MS)
  return date.getUTCFullYear() * 12 + date.getUTCMonth()
}
