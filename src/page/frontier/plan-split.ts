/**
 * Decides where to split a cell: between its queued URLs in path order, so that pieces are about equal. A
 * piece is a range of paths. Links inside a section of a site mostly stay in one piece, and unlike prefixes,
 * ranges can be balanced even if all paths begin with `/wiki/`. A hash of the path would send nearly every
 * link to another cell.
 */

import { fingerprint, takeFingerprint } from '../../model/bytes/index.js'
import { type PathRange, pathOf } from '../../model/index.js'
import { PLAN_SPLIT_CUT_CHARS } from '../limits.js'

export interface Piece extends PathRange {
  readonly queued: number
}

/** URLs to find the cuts with; at least half as many are used, so sizes are off by a few percent. */
const SAMPLE = 8_192

type Urls = Iterable<string> | AsyncIterable<string>

/** Null if no cut can be made. Reads `urls` twice. */
export async function planSplit(urls: () => Urls, whole: PathRange, pieces: number): Promise<Piece[] | null> {
  const cuts = cutsIn((await sampleOf(urls())).map(pathOf).sort(), pieces)
  if (cuts.length === 0) return null
  const froms = [whole.from, ...cuts]
  const queued = froms.map(() => 0)
  for await (const url of urls()) queued[lastUpTo(froms, pathOf(url))]++
  return froms.map((from, i) => ({ from, to: froms[i + 1] ?? whole.to, queued: queued[i] }))
}

/**
 * Samples by fingerprint, at a rate that falls as the sample fills: deterministic, and independent of order.
 */
export async function sampleOf(urls: Urls): Promise<string[]> {
  let sample: { readonly low: number; readonly url: string }[] = []
  let mask = 0
  for await (const url of urls) {
    takeFingerprint(url)
    if ((fingerprint.low & mask) !== 0) continue
    sample.push({ low: fingerprint.low, url })
    while (sample.length >= SAMPLE && mask !== -1) {
      mask = (mask << 1) | 1
      sample = sample.filter(({ low }) => (low & mask) === 0)
    }
  }
  return sample.map(({ url }) => url)
}

function cutsIn(paths: readonly string[], pieces: number): string[] {
  const cuts: string[] = []
  for (let piece = 1; piece < pieces; piece++) {
    const at = Math.round((piece * paths.length) / pieces)
    const cut = at > 0 && at < paths.length ? between(paths[at - 1], paths[at]) : null
    if (cut !== null && cut !== cuts.at(-1)) cuts.push(cut)
  }
  return cuts
}

/** The shortest prefix of `upper` that sorts after `lower`; null if there is none of acceptable length. */
function between(lower: string, upper: string): string | null {
  let same = 0
  while (same < lower.length && lower[same] === upper[same]) same++
  const cut = upper.slice(0, same + 1)
  return cut > lower && cut.length <= PLAN_SPLIT_CUT_CHARS ? cut : null
}

function lastUpTo(froms: readonly string[], path: string): number {
  let last = 0
  for (let i = 1; i < froms.length && froms[i] <= path; i++) last = i
  return last
}
