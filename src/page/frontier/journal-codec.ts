/**
 * The journal of a cell: what one pack adds to its derived state. The format of a blob:
 *
 * version, site | discoveries (URLs that joined the queue), deflated in pieces | outcomes, retries,
 * reopenings
 *
 * Outcomes and retries name their URL by fingerprint, which does not compress, and hold the number of
 * discoveries before them, so that a blob is replayed in its original order. URLs of the cell's own site are
 * written without scheme and host.
 */

import { fingerprint, takeFingerprint } from '../../model/bytes/index.js'
import { type CellId, type Discovery, type Millis, type OutcomeCode, siteOfCell } from '../../model/index.js'
import { PieceReader, PieceWriter, piecesIn } from './journal-pieces.js'
import { numberOfOutcome, outcomeOfNumber, SPELLED_OUT } from './outcome-numbers.js'
import { ByteReader, ByteWriter } from './spill/index.js'

const VERSION = 2

// First byte of a discovery: the prefix of the URL, the prefix of `via`, and which numbers follow.
const FULL = 0
const HTTP = 1
const HTTPS = 2
const SAME = 3
const VIA_SHIFT = 2
const HAS_DEPTH = 16
const HAS_HOPS = 32
const HAS_SCORE = 64
// First byte of other entries: a retry, a reopening, or the number of the outcome.
const RETRY = 128
const REOPENING = 129
const WITH_DEPTH = 64

export class JournalWriter {
  readonly #site: string
  readonly #http: string
  readonly #https: string
  readonly #discoveries = new PieceWriter()
  readonly #events = new ByteWriter(128)
  #via = ''
  #depth = 0
  #sinceEvent = 0

  constructor(cell: CellId) {
    this.#site = siteOfCell(cell)
    this.#http = `http://${this.#site}/`
    this.#https = `https://${this.#site}/`
  }

  get isEmpty(): boolean {
    return this.bytes === 0
  }

  /** Memory held. */
  get bytes(): number {
    return this.#discoveries.bytes + this.#events.length
  }

  /** A URL joined the queue, or did so again with a smaller depth. */
  discover({ url, depth, hops, score, via }: Discovery): void {
    const out = this.#discoveries.entry
    const urlForm = this.#formOf(url)
    const viaForm = via === this.#via ? SAME : this.#formOf(via)
    const numbers =
      (depth === this.#depth ? 0 : HAS_DEPTH) | (hops === 0 ? 0 : HAS_HOPS) | (score === 0 ? 0 : HAS_SCORE)
    out.byte(urlForm | (viaForm << VIA_SHIFT) | numbers)
    if (depth !== this.#depth) out.number(depth)
    if (hops !== 0) out.number(hops)
    if (score !== 0) out.float(score)
    out.text(url, this.#prefixChars(urlForm))
    if (viaForm !== SAME) out.text(via, this.#prefixChars(viaForm))
    this.#discoveries.endEntry()
    this.#depth = depth
    this.#via = via
    this.#sinceEvent++
  }

  /**
   * A URL left the queue for good. With `--max-depth`, rows with a smaller `depth` stay open; without, the
   * URL is closed at every depth.
   */
  outcome(url: string, code: OutcomeCode, depth?: number): void {
    const out = this.#events
    const number = numberOfOutcome(code)
    this.#begin(depth === undefined ? number : number | WITH_DEPTH, url)
    if (depth !== undefined) out.number(depth)
    if (number === SPELLED_OUT) out.text(code)
  }

  /** A URL will be tried again; `attempt` is the number of the next attempt. */
  retry(url: string, attempt: number, notBefore: Millis): void {
    this.#begin(RETRY, url)
    this.#events.number(attempt)
    this.#events.float(notBefore)
  }

  /** The stored copy of a URL is lost: its outcome `code` no longer counts, and the URL is queued again. */
  reopen(url: string, code: OutcomeCode): void {
    this.#begin(REOPENING, url)
    this.#events.text(code)
  }

  /** The blob; called again if the pack has to be rewritten. */
  finish(): Uint8Array {
    const discoveries = this.#discoveries.finish()
    const blob = new ByteWriter(32 + this.#site.length * 3 + discoveries.length + this.#events.length)
    blob.byte(VERSION)
    blob.text(this.#site)
    blob.append(discoveries)
    blob.append(this.#events.view)
    return blob.view
  }

  #formOf(url: string): typeof HTTP | typeof HTTPS | typeof FULL {
    if (url.startsWith(this.#https)) return HTTPS
    return url.startsWith(this.#http) ? HTTP : FULL
  }

  #prefixChars(form: number): number {
    if (form === FULL) return 0
    return form === HTTP ? this.#http.length : this.#https.length
  }

  #begin(form: number, url: string): void {
    takeFingerprint(url)
    this.#events.byte(form)
    this.#events.number(this.#sinceEvent)
    this.#sinceEvent = 0
    this.#events.word(fingerprint.low)
    this.#events.word(fingerprint.high)
  }
}

/** Handles each entry; fingerprints come as two halves. */
export interface JournalReader {
  discovered?(discovery: Discovery): void
  /** `depth` as given to `JournalWriter.outcome`. */
  settled?(low: number, high: number, code: OutcomeCode, depth: number | undefined): void
  retried?(low: number, high: number, attempt: number, notBefore: Millis): void
  /** `code` is the outcome that no longer counts. */
  reopened?(low: number, high: number, code: OutcomeCode): void
}

/** Replays a blob in its original order; does not inflate discoveries without a handler for them. */
export function readJournal(blob: Uint8Array, reader: JournalReader): void {
  const { discoveries, events } = open(blob)
  const source = reader.discovered === undefined ? null : discoveries()
  while (events.at < events.end) {
    const form = events.byte()
    const gap = events.number()
    for (let i = 0; i < gap && source !== null; i++) reader.discovered?.(source.next())
    const low = events.word()
    const high = events.word()
    if (form === RETRY) {
      const attempt = events.number()
      const notBefore = events.float()
      reader.retried?.(low, high, attempt, notBefore)
      continue
    }
    if (form === REOPENING) {
      const code = events.text() as OutcomeCode
      reader.reopened?.(low, high, code)
      continue
    }
    const depth = (form & WITH_DEPTH) === 0 ? undefined : events.number()
    const number = form & ~WITH_DEPTH
    const code = number === SPELLED_OUT ? (events.text() as OutcomeCode) : outcomeOfNumber(number)
    reader.settled?.(low, high, code, depth)
  }
  while (source?.hasMore) reader.discovered?.(source.next())
}

export function readDiscoveries(blob: Uint8Array, take: (discovery: Discovery) => void): void {
  const source = open(blob).discoveries()
  while (source.hasMore) take(source.next())
}

class DiscoverySource {
  readonly #prefixes: readonly string[]
  readonly #pieces: PieceReader
  #via = ''
  #depth = 0

  constructor(site: string, pieces: PieceReader) {
    this.#prefixes = ['', `http://${site}/`, `https://${site}/`]
    this.#pieces = pieces
  }

  get hasMore(): boolean {
    return this.#pieces.hasMore
  }

  next(): Discovery {
    const reader = this.#pieces.entry()
    const form = reader.byte()
    if ((form & HAS_DEPTH) !== 0) this.#depth = reader.number()
    const hops = (form & HAS_HOPS) === 0 ? 0 : reader.number()
    const score = (form & HAS_SCORE) === 0 ? 0 : reader.float()
    const url = this.#prefixes[form & 3] + reader.text()
    const viaForm = (form >> VIA_SHIFT) & 3
    if (viaForm !== SAME) this.#via = this.#prefixes[viaForm] + reader.text()
    return { url, depth: this.#depth, hops, score, via: this.#via }
  }
}

interface OpenBlob {
  readonly discoveries: () => DiscoverySource
  /** At the first event. */
  readonly events: ByteReader
}

function open(blob: Uint8Array): OpenBlob {
  const events = new ByteReader(blob)
  const version = events.byte()
  if (version !== VERSION)
    throw new RangeError(`a journal of version ${version}, which this program cannot read`)
  const site = events.text()
  const pieces = piecesIn(events)
  return { discoveries: () => new DiscoverySource(site, new PieceReader(pieces)), events }
}
