/**
 * A web whose pages are all known, such as the generated one (`--truth FILE`): every URL that a full crawl
 * must find, with its rank if known. It makes coverage I/U and quality |A_N ∩ P_N|/|P_N| (D23) exact.
 */

import { closeSync, openSync, readSync } from 'node:fs'
import { fingerprint, takeFingerprint } from '../model/bytes/index.js'
import { firstIndex } from '../model/index.js'
import { normaliseEscapes } from '../model/url/index.js'
import { KNOWN_WEB_READ_BYTES } from './limits.js'

export interface Truth {
  /** Share of the known web that was found. */
  readonly coverage: number
  /** Share of the N best pages that are among the N found; null without ranks. */
  readonly quality: number | null
}

export class KnownWeb {
  readonly #ranks = new Map<number, number>()
  #ranked = false

  /** Reads lines of a URL and, after a tab, its rank. */
  static read(path: string): KnownWeb {
    const web = new KnownWeb()
    for (const line of linesOf(path)) {
      const tab = line.indexOf('\t')
      const url = tab < 0 ? line : line.slice(0, tab)
      if (url === '') continue
      const rank = tab < 0 ? 0 : Number(line.slice(tab + 1))
      if (!(rank >= 0)) throw new TypeError(`"${line.slice(tab + 1, tab + 40)}" is not a rank`)
      web.add(url, rank)
    }
    return web
  }

  add(url: string, rank: number): void {
    takeFingerprint(normaliseEscapes(url))
    this.#ranks.set(keyOf(fingerprint.low, fingerprint.high), rank)
    if (rank > 0) this.#ranked = true
  }

  /** Judges a crawl: call `saw` once with the fingerprint of each page, then `truth`. */
  judge(): { readonly saw: (low: number, high: number) => void; readonly truth: () => Truth } {
    const found: number[] = []
    let pages = 0
    const saw = (low: number, high: number) => {
      pages++
      const rank = this.#ranks.get(keyOf(low, high))
      if (rank !== undefined) found.push(rank)
    }
    const truth = (): Truth => ({
      coverage: this.#ranks.size > 0 ? found.length / this.#ranks.size : 1,
      quality: this.#ranked && pages > 0 ? this.#quality(found, pages) : null,
    })
    return { saw, truth }
  }

  /** Pages with the rank of the last of the N best count as good as it, up to N. */
  #quality(found: readonly number[], pages: number): number {
    const ranks = Float64Array.from(this.#ranks.values()).sort()
    const best = Math.min(pages, ranks.length)
    const least = ranks[ranks.length - best]
    const better = found.filter(rank => rank > least).length
    const above = ranks.length - firstIndex(ranks.length, i => ranks[i] > least)
    const equal = found.filter(rank => rank === least).length
    return (better + Math.min(equal, best - above)) / best
  }
}

function* linesOf(path: string): Iterable<string> {
  const file = openSync(path, 'r')
  const buffer = Buffer.alloc(KNOWN_WEB_READ_BYTES)
  const decoder = new TextDecoder()
  try {
    let rest = ''
    for (;;) {
      const read = readSync(file, buffer)
      const lines = (rest + decoder.decode(buffer.subarray(0, read), { stream: read > 0 })).split(/\r?\n/)
      rest = lines.pop()!
      yield* lines
      if (read === 0) break
    }
    yield rest
  } finally {
    closeSync(file)
  }
}

/** 53 bits of a fingerprint. */
function keyOf(low: number, high: number): number {
  return (high >>> 11) * 4_294_967_296 + low
}
