/**
 * Detects faceted navigation, whose filters combine to more URLs than there are things to list. Counts the
 * URLs of each path with three or more parameters. An id or a page number has nearly as many values as there
 * are URLs; filters have few values each, and only their combinations grow.
 */
import { fingerprint, takeFingerprint } from '../../../model/bytes/index.js'

const PARAMETERS = 3
/** Paths with fewer URLs are not judged. */
const COMBINATIONS = 500
/**
 * If the values seen so far allow no more combinations than this, all are accepted: twelve values of three
 * filters.
 */
const FINITE = 2_000
/** More URLs than this times the values of the richest parameter are combinations. */
const PER_VALUE = 8
/** The paths with the most URLs are kept. */
const PATHS = 32
const NAMES = 16
const BITS = 256

interface Parameter {
  count: number
  readonly values: Uint8Array
  filled: number
}

interface Path {
  count: number
  readonly parameters: Map<string, Parameter>
}

export class Facets {
  readonly #paths = new Map<number, Path>()

  /** True if a new URL is to be refused; an accepted URL is counted. */
  judge(url: string): boolean {
    const pairs = pairsOf(url)
    if (pairs.length < PARAMETERS) return false
    const path = this.#pathOf(url)
    if (path.count >= COMBINATIONS && isCombined(path)) return true
    this.#count(path, pairs)
    return false
  }

  /** From the journal: an accepted URL. */
  replay(url: string): void {
    const pairs = pairsOf(url)
    if (pairs.length >= PARAMETERS) this.#count(this.#pathOf(url), pairs)
  }

  #count(path: Path, pairs: readonly string[]): void {
    path.count++
    const seen = new Map<string, number>()
    for (const pair of pairs) {
      const equals = pair.indexOf('=')
      const base = equals < 0 ? pair : pair.slice(0, equals)
      const times = seen.get(base) ?? 0
      seen.set(base, times + 1)
      addValue(path, times === 0 ? base : `${base}#${times}`, pair)
    }
  }

  #forgetSmallest(): void {
    let smallest = Number.POSITIVE_INFINITY
    let forgotten = 0
    for (const [key, { count }] of this.#paths) {
      if (count >= smallest) continue
      smallest = count
      forgotten = key
    }
    this.#paths.delete(forgotten)
  }

  #pathOf(url: string): Path {
    takeFingerprint(url.slice(0, url.indexOf('?')))
    const key = fingerprint.low
    let path = this.#paths.get(key)
    if (path === undefined) {
      if (this.#paths.size >= PATHS) this.#forgetSmallest()
      path = { count: 0, parameters: new Map() }
      this.#paths.set(key, path)
    }
    return path
  }
}

/** The URL with its parameters sorted; the same string if they already are. */
export function sortedQuery(url: string): string {
  const query = url.indexOf('?')
  if (query < 0 || !url.includes('&', query)) return url
  const pairs = url.slice(query + 1).split('&')
  for (let i = 1; i < pairs.length; i++) {
    if ((pairs[i - 1] as string) > (pairs[i] as string))
      return `${url.slice(0, query)}?${pairs.sort().join('&')}`
  }
  return url
}

function pairsOf(url: string): readonly string[] {
  const query = url.indexOf('?')
  return query < 0 ? [] : url.slice(query + 1).split('&')
}

function addValue(path: Path, name: string, value: string): void {
  let parameter = path.parameters.get(name)
  if (parameter === undefined) {
    if (path.parameters.size >= NAMES) return
    parameter = { count: 0, values: new Uint8Array(BITS / 8), filled: 0 }
    path.parameters.set(Buffer.from(name).toString(), parameter)
  }
  parameter.count++
  takeFingerprint(value)
  const place = (fingerprint.low % BITS) >> 3
  const bit = 1 << (fingerprint.low & 7)
  const before = parameter.values[place] as number
  if ((before & bit) !== 0) return
  parameter.values[place] = before | bit
  parameter.filled++
}

function isCombined(path: Path): boolean {
  let varying = 0
  let richest = 0
  let possible = 1
  for (const { count, filled } of path.parameters.values()) {
    // Absence is a value too.
    const values = valuesIn(filled) + (count < path.count ? 1 : 0)
    if (values >= 2) varying++
    richest = Math.max(richest, values)
    possible *= Math.max(1, values)
  }
  return varying >= PARAMETERS && possible > FINITE && path.count > PER_VALUE * richest
}

/** Estimates the number of values by the filled bits (linear counting). */
function valuesIn(filled: number): number {
  return filled >= BITS - 4 ? Number.POSITIVE_INFINITY : -BITS * Math.log(1 - filled / BITS)
}
