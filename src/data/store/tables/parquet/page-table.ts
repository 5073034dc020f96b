/** The `pages` table: Common Crawl's column names where it has them, then ours. */

import { KEPT } from '../../../../model/index.js'
import { PageInt, PageNumber, PageRowView, PageText, type Segment } from '../index.js'
import { BlockColumn } from './block-column.js'
import { Column, type ColumnSpec, type GroupColumn } from './column.js'
import { Domains, findHost, host } from './url-host.js'

/** Columns that copy a text of the row; an empty text becomes NULL. */
const TEXT_COLUMNS: readonly (readonly [ColumnSpec, number])[] = [
  [{ name: 'url', kind: 'text', required: true, ordered: true }, PageText.url],
  [{ name: 'outcome', kind: 'dictionary', required: true }, PageText.outcome],
  [{ name: 'content_digest', kind: 'text' }, PageText.digest],
  [{ name: 'content_mime_type', kind: 'dictionary' }, PageText.mime],
  [{ name: 'content_mime_detected', kind: 'dictionary' }, PageText.mimeDetected],
  [{ name: 'content_charset', kind: 'dictionary' }, PageText.charset],
  [{ name: 'content_languages', kind: 'dictionary' }, PageText.languages],
  [{ name: 'content_truncated', kind: 'dictionary' }, PageText.truncated],
  [{ name: 'title', kind: 'text' }, PageText.title],
  [{ name: 'description', kind: 'text' }, PageText.description],
  [{ name: 'canonical', kind: 'text' }, PageText.canonical],
  [{ name: 'redirect_target', kind: 'text' }, PageText.redirect],
  [{ name: 'etag', kind: 'text' }, PageText.etag],
  [{ name: 'last_modified', kind: 'dictionary' }, PageText.lastModified],
  [{ name: 'warc_refers_to_date', kind: 'text' }, PageText.refersToDate],
  [{ name: 'via', kind: 'dictionary' }, PageText.via],
]

const INT_COLUMNS: readonly (readonly [ColumnSpec, number])[] = [
  [{ name: 'outlinks', kind: 'int32', required: true }, PageInt.outlinks],
  [{ name: 'outlinks_foreign', kind: 'int32', required: true }, PageInt.outlinksForeign],
  [{ name: 'depth', kind: 'int32', required: true }, PageInt.depth],
  [{ name: 'hops', kind: 'int32', required: true }, PageInt.hops],
  [{ name: 'lane', kind: 'int32', required: true }, PageInt.lane],
]

const OTHER_COLUMNS: readonly ColumnSpec[] = [
  { name: 'attempt', kind: 'int32', required: true },
  { name: 'url_host_name', kind: 'dictionary' },
  { name: 'url_host_registered_domain', kind: 'dictionary' },
  { name: 'fetch_time', kind: 'timestamp', required: true },
  { name: 'fetch_status', kind: 'int32' },
  { name: 'fetch_ms', kind: 'int32', required: true },
  { name: 'body_bytes', kind: 'int64', required: true },
  { name: 'warc_filename', kind: 'dictionary' },
  { name: 'warc_record_offset', kind: 'int64' },
  { name: 'warc_record_length', kind: 'int64' },
  { name: 'agent', kind: 'dictionary' },
  { name: 'kept', kind: 'dictionary' },
]

const PLAIN_COLUMNS: readonly ColumnSpec[] = [
  ...TEXT_COLUMNS.map(([spec]) => spec),
  ...INT_COLUMNS.map(([spec]) => spec),
  ...OTHER_COLUMNS,
]

const KEPT_NAMES = KEPT.map(name => Buffer.from(name))

export class PageTable {
  readonly columns: readonly GroupColumn[]
  readonly #plain = PLAIN_COLUMNS.map(spec => new Column(spec))
  readonly #text = new BlockColumn({ name: 'text', kind: 'blocks' })
  readonly #domains = new Domains()
  readonly #row = new PageRowView()
  #warc = Buffer.alloc(0)
  #agent = Buffer.alloc(0)

  constructor() {
    this.columns = [...this.#plain, this.#text]
  }

  get isComplete(): boolean {
    return this.#text.isComplete
  }

  /** Adds rows, or the texts of earlier rows; returns the number of rows. */
  addSegment(segment: Segment): number {
    if (segment.table === 'texts') {
      this.#text.addBlocks(segment.rows)
      return 0
    }
    if (segment.table === 'hosts') return 0
    this.#enter(segment)
    let rows = 0
    for (let at = 0; at < segment.rows.length; rows++) {
      at += this.#row.moveTo(segment.rows, at)
      this.#add(this.#row, segment)
    }
    return rows
  }

  #add(row: PageRowView, segment: Segment): void {
    const columns = this.#plain
    const { bytes } = row
    this.#text.addRow(row.int(PageInt.textBytes) > 0)
    let next = 0
    for (const [, text] of TEXT_COLUMNS)
      columns[next++].addBytes(bytes, row.textStart(text), row.textStart(text + 1))
    for (const [, place] of INT_COLUMNS) columns[next++].addNumber(row.int(place))
    columns[next++].addNumber(row.attempt)
    findHost(bytes, row.textStart(PageText.url), row.textStart(PageText.url + 1))
    columns[next++].addBytes(bytes, host.start, host.end)
    const domain = this.#domains.of(bytes)
    columns[next++].addBytes(domain, 0, domain.length)
    columns[next++].addNumber(Math.round(row.number(PageNumber.fetchedAt)))
    const status = row.int(PageInt.status)
    if (status === 0) columns[next++].addNull()
    else columns[next++].addNumber(status)
    columns[next++].addNumber(Math.min(Math.round(row.number(PageNumber.fetchMs)), 0x7fff_ffff))
    columns[next++].addNumber(row.number(PageNumber.bodyBytes))
    this.#addPlace(row, segment, next)
    columns[next + 3].addBytes(this.#agent, 0, this.#agent.length)
    const kept = KEPT_NAMES[KEPT.indexOf(row.kept)]
    columns[next + 4].addBytes(kept, 0, kept.length)
  }

  #addPlace(row: PageRowView, segment: Segment, first: number): void {
    const [filename, offset, length] = this.#plain.slice(first, first + 3)
    if (row.warcOffset < 0) {
      filename.addNull()
      offset.addNull()
      length.addNull()
      return
    }
    filename.addBytes(this.#warc, 0, this.#warc.length)
    offset.addNumber(segment.baseOffset + row.warcOffset)
    length.addNumber(row.warcLength)
  }

  #enter(segment: Segment): void {
    this.#warc = Buffer.from(segment.warc)
    this.#agent = Buffer.from(segment.agent)
  }
}
