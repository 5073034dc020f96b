/** The part of the open pack that belongs to one cell. */

import type { InboxRow, OutcomeCount, PackCell } from '../../../ledger/index.js'
import {
  type CellId,
  type Discovery,
  type Exchange,
  forDisplay,
  isPage,
  type Millis,
  type OutcomeCode,
} from '../../../model/index.js'
import { type FrontierEntry, JournalWriter } from '../../../page/frontier/index.js'
import { RECEIVED_LINK_BYTES } from '../../limits.js'
import type { SiteCrawl } from '../site/index.js'
import { ReceivedLinks } from './message-count.js'

/** Memory of a row for another cell besides its URLs: objects, and the copy for the ledger. */
const ROW_BYTES = 192

/** Counts memory, so that a pack with nothing but links is sealed in time too. */
interface Weighed {
  readonly agent: string
  /** `bytes` may be negative: journals are compressed from time to time. */
  grow(bytes: number): void
}

/** The links of a page share the text of `via`, but each row for the ledger has a copy. */
export function bytesOf({ url, via }: Discovery): number {
  return 2 * url.length + via.length + ROW_BYTES
}

export class OpenPackCell {
  readonly site: SiteCrawl
  readonly journal: JournalWriter
  /** Links to other cells, by URL: durable in the transaction that acknowledges their pages. */
  readonly appends = new Map<string, { readonly cell: CellId; readonly row: Discovery }>()
  readonly received = new ReceivedLinks()
  /** The work of each lane: a site that lends its lane may get another one. */
  readonly lanes = new Map<number, { pages: number; fetchMs: Millis }>()
  readonly #outcomes = new Map<OutcomeCode, { count: number; detail: string }>()
  readonly #pack: Weighed
  #appendBytes = 0
  #consumed = 0
  #cursor: number
  #discovered = 0
  #settled = 0
  #pages = 0
  #bytes = 0
  #fetchMs: Millis = 0
  #firstFetch: Millis = 0
  #lastFetch: Millis = 0

  constructor(site: SiteCrawl, pack: Weighed) {
    this.site = site
    this.#pack = pack
    this.journal = new JournalWriter(site.cell)
    this.#cursor = site.inbox.cursor
  }

  get pages(): number {
    return this.#pages
  }

  /** A URL joined the queue. */
  discovered(discovery: Discovery): void {
    this.#discovered++
    const before = this.journal.bytes
    this.journal.discover(discovery)
    this.#pack.grow(this.journal.bytes - before)
  }

  /** A link to another cell. */
  append(cell: CellId, row: Discovery): void {
    this.appends.set(row.url, { cell, row })
    this.#appendBytes += bytesOf(row)
    this.#pack.grow(bytesOf(row))
  }

  /** Memory of the links to other cells. */
  get appendBytes(): number {
    return this.#appendBytes
  }

  /** These links to other cells are durable. */
  sent(links: readonly { readonly row: Discovery }[]): void {
    for (const { row } of links) {
      this.appends.delete(row.url)
      this.#appendBytes -= bytesOf(row)
    }
  }

  /** A URL left the queue for good. */
  settled(entry: FrontierEntry, code: OutcomeCode, detail: string, exchange: Exchange | null): void {
    this.#settled++
    if (exchange) this.#count(exchange, isPage(code) ? 1 : 0)
    this.journal.outcome(entry.url, code, entry.depth)
    this.note(code, detail)
  }

  /** Counts an outcome without a queued URL. */
  note(code: OutcomeCode, detail: string): void {
    const known = this.#outcomes.get(code)
    const shown = detail === '' ? '' : forDisplay(detail)
    if (known) {
      known.count++
      if (shown !== '') known.detail = shown
    } else this.#outcomes.set(code, { count: 1, detail: shown })
  }

  /** A URL that is not queued anywhere. The journal has only its fingerprint, however long it is. */
  turnedAway(url: string, code: OutcomeCode, detail: string): void {
    const before = this.journal.bytes
    this.journal.outcome(url, code)
    this.#pack.grow(this.journal.bytes - before)
    this.note(code, detail)
  }

  /** A stored page was fetched again for its links: it is not counted twice. */
  lookedAgain(entry: FrontierEntry, code: OutcomeCode): void {
    this.#settled++
    this.journal.outcome(entry.url, code, entry.depth)
  }

  /** Entries left the queue because the same URL was queued with a smaller depth (`--max-depth`). */
  passedOver(rows: number): void {
    this.#settled += rows
  }

  #count(exchange: Exchange, pages: 0 | 1): void {
    const lane = this.lanes.get(this.site.lane.number)
    if (lane) {
      lane.pages += pages
      lane.fetchMs += exchange.fetchMs
    } else this.lanes.set(this.site.lane.number, { pages, fetchMs: exchange.fetchMs })
    this.#pages += pages
    this.#bytes += exchange.payload.length
    this.#fetchMs += exchange.fetchMs
    if (this.#firstFetch === 0) this.#firstFetch = exchange.startedAt
    this.#lastFetch = exchange.startedAt
  }

  /** Rows of the inbox were taken. */
  consumed(rows: readonly InboxRow[]): void {
    this.#consumed += rows.length
    this.#cursor = rows[rows.length - 1].position
    for (const { sender, via } of rows) {
      if (sender !== '' && sender !== this.#pack.agent && this.received.add(via))
        this.#pack.grow(RECEIVED_LINK_BYTES)
    }
  }

  toPackCell(): PackCell {
    return {
      cell: this.site.cell,
      epoch: this.site.lease.epoch,
      number: this.site.packs.last + 1,
      journal: this.journal.finish(),
      consumed: this.#consumed,
      cursor: this.#cursor,
      discovered: this.#discovered,
      settled: this.#settled,
      pages: this.#pages,
      bytes: this.#bytes,
      fetchMs: this.#fetchMs,
      firstFetch: this.#firstFetch,
      lastFetch: this.#lastFetch,
      outcomes: [...this.#outcomes].map(
        ([code, { count, detail }]): OutcomeCount => ({ code, count, detail }),
      ),
    }
  }
}
