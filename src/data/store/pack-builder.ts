/**
 * A pack being filled. Outcomes are encoded at once, each with its cell, so that the pack can be written
 * again without cells that were lost to another agent.
 */

import type { Exchange, PageRow } from '../../model/index.js'
import type { Item } from '../../page/guest/index.js'
import { PACK_BUILDER_START_BYTES } from '../limits.js'
import { ByteSink } from './bytes/index.js'
import type { PackBytes } from './pack-store.js'
import {
  appendItems,
  appendLinks,
  appendPageRow,
  HostFacts,
  PageInt,
  type PageLinks,
  readTexts,
  shiftPageRow,
  TextBlocks,
  tableLinks,
  tableRow,
  validText,
} from './tables/index.js'
import {
  appendCdxjEntry,
  type Conversion,
  type Revisit,
  shiftCdxjEntry,
  type WarcRecords,
} from './warc/index.js'

export interface PackEntry {
  /** The cell and its lease. */
  readonly leaseKey: string
  /** Its `warcOffset` and `warcLength` are ignored and filled in here. */
  readonly row: PageRow
  /** Archived if it has a response. */
  readonly exchange?: Exchange | null | undefined
  readonly revisit?: Revisit | null
  /** False keeps the exchange out of the archive; it still tells about its host. */
  readonly archives?: boolean
  /** Archived instead of the response. */
  readonly conversion?: Conversion | null | undefined
  readonly links?: PageLinks | null
  /** Rows that a guest extracted from the page. */
  readonly items?: readonly Item[] | undefined
  /** False keeps it out of the tables: robots.txt is archived, but is no page. */
  readonly inTables?: boolean
  /** For a page that an earlier crawl has: whether it has changed. */
  readonly changed?: boolean | undefined
  /** Bytes received for the site that are not a page, such as robots.txt. */
  readonly otherBytes?: number
}

export interface PackOptions {
  /** The name of the agent, for the `agent` column. */
  readonly agent: string
  /** Null with `--archive none`. */
  readonly records: WarcRecords | null
  /** False with `--tables none`. */
  readonly tables: boolean
  /** Initial size of its buffers; smaller where packs are small and many. */
  readonly startBytes?: number
}

const NO_TEXT = Buffer.alloc(0)

/** The end of an entry in each stream, which is the start of the next entry. */
interface Mark {
  readonly leaseKey: string
  readonly warc: number
  readonly pages: number
  readonly links: number
  readonly linkRows: number
  readonly cdxj: number
  readonly items: number
}

const START: Mark = { leaseKey: '', warc: 0, pages: 0, links: 0, linkRows: 0, cdxj: 0, items: 0 }

export class PackBuilder {
  readonly #options: PackOptions
  readonly #warc: ByteSink
  readonly #pages: ByteSink
  readonly #texts = new TextBlocks()
  readonly #links = new ByteSink()
  readonly #cdxj = new ByteSink()
  readonly #items = new ByteSink()
  readonly #hosts = new HostFacts()
  readonly #marks: Mark[] = []
  readonly #dropped = new Set<string>()
  #linkRows = 0

  constructor(options: PackOptions) {
    this.#options = options
    const { startBytes = PACK_BUILDER_START_BYTES } = options
    this.#warc = new ByteSink(startBytes)
    this.#pages = new ByteSink(startBytes / 4)
  }

  /** Size of the pack, dropped cells included: decides when it is sealed. */
  get bytes(): number {
    return (
      this.#warc.length + this.#pages.length + this.#texts.bytes + this.#links.length + this.#items.length
    )
  }

  get entries(): number {
    return this.#marks.length
  }

  /** Adds an entry completely, or throws and leaves the pack as it was. */
  add(entry: PackEntry): void {
    try {
      this.#append(entry)
    } catch (error) {
      const last = this.#marks.at(-1) ?? START
      this.#warc.cut(last.warc)
      this.#pages.cut(last.pages)
      this.#links.cut(last.links)
      this.#cdxj.cut(last.cdxj)
      this.#items.cut(last.items)
      this.#linkRows = last.linkRows
      throw error
    }
  }

  #append(entry: PackEntry): void {
    const { row, exchange } = entry
    const { records, tables } = this.#options
    let offset = -1
    let length = 0
    let text: Uint8Array = NO_TEXT
    if (records && exchange && entry.conversion) {
      const record = records.appendConversion(this.#warc, exchange, entry.conversion)
      offset = record.offset
      length = record.length
    } else if (records && exchange && entry.archives !== false && isArchivable(exchange)) {
      const revisit = entry.revisit ?? undefined
      const record = records.appendExchange(this.#warc, exchange, row, revisit)
      offset = record.offset
      length = record.length
      appendCdxjEntry(this.#cdxj, exchange, row, record, revisit !== undefined)
    }
    if (tables && entry.inTables !== false) {
      const shown = tableRow(row)
      text = validText(shown.text)
      appendPageRow(this.#pages, shown, text.length, offset, length)
      if (entry.links) {
        appendLinks(this.#links, shown.url, tableLinks(entry.links))
        this.#linkRows += entry.links.targets.length
      }
      if (entry.items) appendItems(this.#items, shown.url, entry.items)
    }
    if (tables) this.#noteHost(entry)
    // Last, because a text cannot be removed.
    this.#texts.add(text)
    this.#marks.push({
      leaseKey: entry.leaseKey,
      warc: this.#warc.length,
      pages: this.#pages.length,
      links: this.#links.length,
      linkRows: this.#linkRows,
      cdxj: this.#cdxj.length,
      items: this.#items.length,
    })
  }

  /** Most exchanges use an existing connection and add nothing. */
  #noteHost({ leaseKey, exchange, changed, row, otherBytes = 0 }: PackEntry): void {
    if (exchange && exchange.connectMs > 0)
      this.#hosts.connected(leaseKey, exchange.url, exchange.remoteAddress, exchange.connectMs)
    if (changed !== undefined) this.#hosts.checked(leaseKey, row.url, changed)
    if (otherBytes > 0) this.#hosts.other(leaseKey, row.url, otherBytes)
  }

  /** Empties the builder for the next pack and keeps its buffers, to spare the garbage collector. */
  reset(): void {
    this.#warc.clear()
    this.#pages.clear()
    this.#texts.clear()
    this.#links.clear()
    this.#cdxj.clear()
    this.#items.clear()
    this.#hosts.clear()
    this.#marks.length = 0
    this.#dropped.clear()
    this.#linkRows = 0
  }

  /** Leaves out every entry of `leaseKey`, those to come included. */
  drop(leaseKey: string): void {
    this.#dropped.add(leaseKey)
  }

  /** The bytes of the pack without the dropped cells. Valid until the next `add`. */
  toPack(id: string): PackBytes {
    const kept = this.#dropped.size === 0 ? null : this.#withoutDropped()
    const pages = kept?.pages ?? this.#pages
    const cdxj = kept?.cdxj ?? this.#cdxj
    const items = kept?.items ?? this.#items
    return {
      id,
      agent: this.#options.agent,
      warc: (kept?.warc ?? this.#warc).view(),
      pages: { bytes: pages.view(), rows: countRows(pages.view()) },
      texts: (kept?.texts ?? this.#texts).view(),
      hosts: this.#hosts.toBytes(this.#dropped),
      links: { bytes: (kept?.links ?? this.#links).view(), rows: kept?.linkRows ?? this.#linkRows },
      cdxj: { bytes: cdxj.view(), rows: countRows(cdxj.view()) },
      items: { bytes: items.view(), rows: countRows(items.view()) },
    }
  }

  /** Copies the entries that are kept, and adjusts the offsets of moved records in rows and index. */
  #withoutDropped(): KeptStreams {
    const kept: KeptStreams = {
      warc: new ByteSink(),
      pages: new ByteSink(),
      texts: new TextBlocks(),
      links: new ByteSink(),
      cdxj: new ByteSink(),
      items: new ByteSink(),
      linkRows: 0,
    }
    const texts = readTexts(this.#texts.view())
    let before = START
    for (const mark of this.#marks) {
      const text = mark.pages > before.pages ? this.#textAt(before.pages, texts) : NO_TEXT
      if (!this.#dropped.has(mark.leaseKey)) {
        const shift = kept.warc.length - before.warc
        const pageAt = kept.pages.length
        const entryAt = kept.cdxj.length
        kept.warc.append(this.#warc.view(before.warc, mark.warc))
        kept.pages.append(this.#pages.view(before.pages, mark.pages))
        kept.texts.add(text)
        kept.links.append(this.#links.view(before.links, mark.links))
        kept.cdxj.append(this.#cdxj.view(before.cdxj, mark.cdxj))
        kept.items.append(this.#items.view(before.items, mark.items))
        kept.linkRows += mark.linkRows - before.linkRows
        if (kept.pages.length > pageAt) shiftPageRow(kept.pages.view(), pageAt, shift)
        if (kept.cdxj.length > entryAt) shiftCdxjEntry(kept.cdxj.view(), entryAt, shift)
      }
      before = mark
    }
    return kept
  }

  /** The text of the row at `at`: the next of `texts`, where it has one. */
  #textAt(at: number, texts: Generator<Buffer>): Buffer {
    if (this.#pages.view().readUInt32LE(at + PageInt.textBytes) === 0) return NO_TEXT
    const { value, done } = texts.next()
    if (done) throw new Error('a row of the pack has no text in its blocks')
    return value
  }
}

/** False if nothing came that could be archived. */
function isArchivable({ medium, responseHead }: Exchange): boolean {
  return medium === 'file' || (medium === undefined && responseHead.length > 0)
}

interface KeptStreams {
  readonly warc: ByteSink
  readonly pages: ByteSink
  readonly texts: TextBlocks
  readonly links: ByteSink
  readonly cdxj: ByteSink
  readonly items: ByteSink
  linkRows: number
}

/** Rows and index entries begin with their size. */
function countRows(bytes: Buffer): number {
  let rows = 0
  for (let at = 0; at < bytes.length; at += bytes.readUInt32LE(at)) rows++
  return rows
}
