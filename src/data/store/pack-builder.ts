/**
 * One pack being filled. Outcomes are encoded as they come, each with its cell, so that the pack can be
 * written again without the cells that turned out to belong to somebody else.
 */
import type { Exchange, PageRow } from '../../model/index.js'
import { ByteSink } from './bytes/index.js'
import type { PackBytes } from './pack-store.js'
import {
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
import { appendCdxjEntry, type Revisit, shiftCdxjEntry, type WarcRecords } from './warc/index.js'

export interface PackEntry {
  /** Whose it is: a cell under one lease. */
  readonly leaseKey: string
  /** `warcOffset` and `warcLength` are filled in here, whatever they say. */
  readonly row: PageRow
  /** Archived when there is one with a response in it. */
  readonly exchange?: Exchange | null | undefined
  readonly revisit?: Revisit | null
  readonly links?: PageLinks | null
  /** False keeps it out of the tables: robots.txt is archived, but is no page. */
  readonly inTables?: boolean
  /** Of a page that an earlier crawl knows: whether it is another now. */
  readonly changed?: boolean | undefined
  /** Received, of what is counted to the site and is no page of it. */
  readonly otherBytes?: number
}

export interface PackOptions {
  /** The name of the agent, for the `agent` column. */
  readonly agent: string
  /** Null with `--archive none`. */
  readonly records: WarcRecords | null
  /** False with `--tables none`. */
  readonly tables: boolean
  /** What its buffers begin with; less where packs are small and many. */
  readonly startBytes?: number
}

const START_BYTES = 256 * 1024
const NO_TEXT = Buffer.alloc(0)

/** Where an entry ends in each stream; it begins where the one before ends. */
interface Mark {
  readonly leaseKey: string
  readonly warc: number
  readonly pages: number
  readonly links: number
  readonly linkRows: number
  readonly cdxj: number
}

const START: Mark = { leaseKey: '', warc: 0, pages: 0, links: 0, linkRows: 0, cdxj: 0 }

export class PackBuilder {
  readonly #options: PackOptions
  readonly #warc: ByteSink
  readonly #pages: ByteSink
  readonly #texts = new TextBlocks()
  readonly #links = new ByteSink()
  readonly #cdxj = new ByteSink()
  readonly #hosts = new HostFacts()
  readonly #marks: Mark[] = []
  readonly #dropped = new Set<string>()
  #linkRows = 0

  constructor(options: PackOptions) {
    this.#options = options
    const { startBytes = START_BYTES } = options
    this.#warc = new ByteSink(startBytes)
    this.#pages = new ByteSink(startBytes / 4)
  }

  /** What the pack weighs so far, dropped cells included: for the decision to seal it. */
  get bytes(): number {
    return this.#warc.length + this.#pages.length + this.#texts.bytes + this.#links.length
  }

  get entries(): number {
    return this.#marks.length
  }

  /**
   * All of the entry, or nothing where it throws: an entry that cannot be encoded leaves the pack as it was.
   */
  add(entry: PackEntry): void {
    try {
      this.#append(entry)
    } catch (error) {
      const last = this.#marks.at(-1) ?? START
      this.#warc.cut(last.warc)
      this.#pages.cut(last.pages)
      this.#links.cut(last.links)
      this.#cdxj.cut(last.cdxj)
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
    if (records && exchange && exchange.responseHead.length > 0) {
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
    }
    if (tables) this.#noteHost(entry)
    // Last, because a text cannot be taken back.
    this.#texts.add(text)
    this.#marks.push({
      leaseKey: entry.leaseKey,
      warc: this.#warc.length,
      pages: this.#pages.length,
      links: this.#links.length,
      linkRows: this.#linkRows,
      cdxj: this.#cdxj.length,
    })
  }

  /** Most exchanges go over a connection that is there already, and say nothing new. */
  #noteHost({ leaseKey, exchange, changed, row, otherBytes = 0 }: PackEntry): void {
    if (exchange && exchange.connectMs > 0)
      this.#hosts.connected(leaseKey, exchange.url, exchange.remoteAddress, exchange.connectMs)
    if (changed !== undefined) this.#hosts.checked(leaseKey, row.url, changed)
    if (otherBytes > 0) this.#hosts.other(leaseKey, row.url, otherBytes)
  }

  /**
   * Empties the builder for the next pack; its buffers are used again, so megabytes a second need no
   * collection.
   */
  reset(): void {
    this.#warc.clear()
    this.#pages.clear()
    this.#texts.clear()
    this.#links.clear()
    this.#cdxj.clear()
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
    return {
      id,
      agent: this.#options.agent,
      warc: (kept?.warc ?? this.#warc).view(),
      pages: { bytes: pages.view(), rows: countRows(pages.view()) },
      texts: (kept?.texts ?? this.#texts).view(),
      hosts: this.#hosts.toBytes(this.#dropped),
      links: { bytes: (kept?.links ?? this.#links).view(), rows: kept?.linkRows ?? this.#linkRows },
      cdxj: { bytes: cdxj.view(), rows: countRows(cdxj.view()) },
    }
  }

  /** Copies what stays; records that move towards the front take their places in rows and index along. */
  #withoutDropped(): KeptStreams {
    const kept: KeptStreams = {
      warc: new ByteSink(),
      pages: new ByteSink(),
      texts: new TextBlocks(),
      links: new ByteSink(),
      cdxj: new ByteSink(),
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

interface KeptStreams {
  readonly warc: ByteSink
  readonly pages: ByteSink
  readonly texts: TextBlocks
  readonly links: ByteSink
  readonly cdxj: ByteSink
  linkRows: number
}

/** Rows and index entries begin with their size. */
function countRows(bytes: Buffer): number {
  let rows = 0
  for (let at = 0; at < bytes.length; at += bytes.readUInt32LE(at)) rows++
  return rows
}
