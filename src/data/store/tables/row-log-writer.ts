/** Writes a row log outside of any pack: rows that `orbweaver repair` rebuilds or copies. */

import { StagedFile } from '../../../files/index.js'
import type { PageRow } from '../../../model/index.js'
import { ByteSink } from '../bytes/index.js'
import { appendLinks, type PageLinks } from './link-rows.js'
import { appendPageRow } from './page-row.js'
import { type Segment, type SegmentHeader, segmentBuffers } from './segment.js'
import { TextBlocks } from './text-blocks.js'

const FLUSH_BYTES = 1024 * 1024
/** Used as pack id. */
const PACK = 'repair'

export class RowLogWriter {
  readonly path: string
  readonly #file: StagedFile
  readonly #pages = new ByteSink()
  readonly #texts = new TextBlocks()
  readonly #links = new ByteSink()
  /** Agent and WARC of the pages that are not written yet. */
  #agent = ''
  #warc = ''
  #bytes = 0
  #rows = 0

  constructor(path: string) {
    this.path = path
    this.#file = new StagedFile(path)
  }

  /** Page rows, or groups of links. */
  get rows(): number {
    return this.#rows
  }

  /** `warc` is the file with the row's record, or empty; the row's offset is relative to that file. */
  addPage(row: PageRow, agent: string, warc: string): void {
    const isOther = agent !== this.#agent || warc !== this.#warc
    if (isOther || this.#pages.length + this.#texts.bytes >= FLUSH_BYTES) this.#flush()
    this.#agent = agent
    this.#warc = warc
    appendPageRow(this.#pages, row, row.text.length)
    this.#texts.add(row.text)
    this.#rows++
  }

  addLinks(url: string, links: PageLinks): void {
    if (this.#links.length >= FLUSH_BYTES) this.#flush()
    appendLinks(this.#links, url, links)
    this.#rows++
  }

  addSegment(segment: Segment): void {
    this.#flush()
    this.#write(segment, segment.rows)
    this.#rows++
  }

  /** Returns its length. */
  close(): number {
    this.#flush()
    this.#file.sync()
    this.#file.close()
    return this.#bytes
  }

  #flush(): void {
    const header = { pack: PACK, agent: this.#agent, warc: this.#warc, baseOffset: 0 }
    this.#write({ ...header, table: 'pages' }, this.#pages.view())
    this.#write({ ...header, table: 'texts' }, this.#texts.view())
    this.#write({ ...header, table: 'links' }, this.#links.view())
    this.#pages.clear()
    this.#texts.clear()
    this.#links.clear()
  }

  #write(header: SegmentHeader, rows: Buffer): void {
    for (const bytes of segmentBuffers(header, rows)) {
      this.#file.write(bytes)
      this.#bytes += bytes.length
    }
  }
}
