/**
 * Notes the words of each site when its pages are converted to Parquet (S17): titles and descriptions of a
 * few pages, and the beginning of some texts. Texts are in compressed blocks. To unpack all of them would
 * cost more than the rest of the conversion, so only the first part of each block is unpacked.
 */

import { WordSketch } from '../../../model/bytes/index.js'
import { LIMITS } from '../../../model/index.js'
import { UNPACKED_BYTES } from '../../limits.js'
import { drainLines, gzipLines, type LearnedNotes, siteIn } from './learned-notes.js'
import { PageInt, PageRowView, PageText } from './page-row.js'
import type { Segment } from './segment.js'
import { firstTexts, readBlocks } from './text-blocks.js'

/** Share of a block that is unpacked, and the least number of bytes. */
const UNPACKED_SHARE = 1 / 8
/** The middle of a host line without address, connection and checks. */
const NOTHING_ELSE = '\t\t\t-1\t0\t0\t0\t'

interface SiteWords {
  readonly sketch: WordSketch
  pages: number
}

export class WordNotes implements LearnedNotes {
  readonly #sites = new Map<string, SiteWords>()
  readonly #row = new PageRowView()
  /** One for each row whose text has not come yet; null if the text is not wanted. */
  #texts: (SiteWords | null)[] = []

  addSegment(segment: Segment): void {
    if (segment.table === 'texts') this.#addTexts(segment.rows)
    if (segment.table !== 'pages') return
    for (let at = 0; at < segment.rows.length; ) {
      at += this.#row.moveTo(segment.rows, at)
      if (this.#row.int(PageInt.textBytes) > 0) this.#texts.push(this.#addRow(this.#row))
    }
  }

  take(end: boolean): Buffer {
    return gzipLines(this.takeLines(end))
  }

  /** Not while texts are expected: they belong to these sites. */
  takeLines(end: boolean): string[] {
    if (!end && (this.#texts.length > 0 || this.#sites.size < LIMITS.notedSites)) return []
    const lines = drainLines(this.#sites, (site, { sketch }) => {
      const words = sketch.toString()
      return words === '' ? '' : `${site}${NOTHING_ELSE}${words}`
    })
    return lines.filter(line => line !== '')
  }

  #addRow(row: PageRowView): SiteWords | null {
    const site = siteIn(row.bytes, row.textStart(PageText.url), row.textStart(PageText.url + 1))
    const words = this.#sites.get(site) ?? { sketch: new WordSketch(), pages: 0 }
    if (words.pages >= LIMITS.sketchedPages) return null
    if (words.pages++ === 0) this.#sites.set(site, words)
    for (const text of [PageText.title, PageText.description])
      words.sketch.add(row.bytes, row.textStart(text), row.textStart(text + 1))
    return words
  }

  #addTexts(blocks: Buffer): void {
    let next = 0
    for (const block of readBlocks(blocks)) {
      const sites = this.#texts.slice(next, next + block.texts)
      next += block.texts
      // Most sites have enough words after the first blocks.
      if (sites.every(site => site === null)) continue
      const most = Math.max(UNPACKED_BYTES, block.snappy.length * UNPACKED_SHARE)
      let at = 0
      for (const text of firstTexts(block, most)) sites[at++]?.sketch.add(text, 0, text.length)
    }
    this.#texts = this.#texts.slice(next)
  }
}
