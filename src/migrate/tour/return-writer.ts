/** Collects what a tour brings home, and seals a part whenever enough has come together. */
import type { KeyObject } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { fingerprint, takeFingerprint } from '../../model/bytes/index.js'
import type { Discovery, Exchange } from '../../model/index.js'
import type { FrontierEntry } from '../../page/frontier/index.js'
import {
  type BundleManifest,
  type ReturnPartManifest,
  sealPart,
  type TourEnd,
  writeDiscoveryRow,
  writeVisitRow,
} from '../bundle/index.js'
import { GZIP_SAMPLE_PAGES, PART_BYTES, PART_LINKS, PART_PAGES } from '../limits.js'

/** Takes sealed parts; resolves when there is room for the next, so that a slow home slows the tour down. */
export type PartSink = (part: Buffer, manifest: ReturnPartManifest) => Promise<void>

const ROW_LENGTH_BYTES = 64

export class ReturnWriter {
  readonly #bundle: BundleManifest
  readonly #privateKey: KeyObject
  readonly #sink: PartSink
  #part = new PartRows()
  #number = 0
  #judged = 0
  #kept = 0
  #readBytes = 0
  /** Parts are sealed one after the other. */
  #sealing: Promise<void> = Promise.resolve()
  #sampled = { pages: 0, bytes: 0, gzip: 0 }

  constructor(bundle: BundleManifest, privateKey: KeyObject, sink: PartSink) {
    this.#bundle = bundle
    this.#privateKey = privateKey
    this.#sink = sink
  }

  /** Pages judged, kept or not. */
  get judged(): number {
    return this.#judged
  }

  get kept(): number {
    return this.#kept
  }

  get readBytes(): number {
    return this.#readBytes
  }

  /** True if something waits for the next part. */
  get isFilling(): boolean {
    return !this.#part.isEmpty
  }

  /** A response that goes home as a whole. */
  keep(entry: FrontierEntry, exchange: Exchange): Promise<void> {
    this.#count(exchange)
    this.#kept++
    this.#part.add(entry, exchange)
    return this.#sealIfFull()
  }

  /** A page that was judged and not kept: only its fingerprint goes home, and its links to other sites. */
  pass(entry: FrontierEntry, exchange: Exchange, foreign: readonly Discovery[]): Promise<void> {
    this.#count(exchange)
    this.#part.judge(entry.url)
    for (const discovery of foreign) this.#part.link(discovery)
    return this.#sealIfFull()
  }

  /** A URL that the tour leaves to the home. */
  leave(discovery: Discovery): Promise<void> {
    this.#part.link(discovery)
    return this.#sealIfFull()
  }

  /** Seals what has come together, without waiting for more. */
  seal(end: TourEnd): Promise<void> {
    const part = this.#part
    this.#part = new PartRows()
    this.#sealing = this.#sealing.then(() => this.#sealPart(part, end))
    return this.#sealing
  }

  async #sealPart(part: PartRows, end: TourEnd): Promise<void> {
    const manifest = {
      bundle: this.#bundle.id,
      cell: this.#bundle.cell,
      epoch: this.#bundle.epoch,
      number: ++this.#number,
      end,
      judged: this.#judged,
      kept: this.#kept,
      readBytes: this.#readBytes,
      gzipPerMille: this.#gzipPerMille,
    }
    await this.#sink(await sealPart({ manifest, ...part.sections() }, this.#privateKey), manifest)
  }

  async #sealIfFull(): Promise<void> {
    if (this.#part.isFull) await this.seal('more')
  }

  #count(exchange: Exchange): void {
    this.#judged++
    this.#readBytes += exchange.payload.length
    const sample = this.#sampled
    if (sample.pages >= GZIP_SAMPLE_PAGES || exchange.body.length === 0) return
    sample.pages++
    sample.bytes += exchange.body.length
    sample.gzip += gzipSync(exchange.body).length
  }

  /** What HTTP with gzip would have needed, from a sample of the first pages. */
  get #gzipPerMille(): number {
    const { bytes, gzip } = this.#sampled
    return bytes === 0 ? 0 : Math.min(2_000, Math.round((1_000 * gzip) / bytes))
  }
}

class PartRows {
  readonly #visits: string[] = []
  readonly #exchanges: Buffer[] = []
  readonly #judged: number[] = []
  readonly #links: string[] = []
  #bytes = 0

  get isEmpty(): boolean {
    return this.#visits.length === 0 && this.#judged.length === 0 && this.#links.length === 0
  }

  get isFull(): boolean {
    const pages = this.#visits.length + this.#judged.length / 2
    return this.#bytes >= PART_BYTES || pages >= PART_PAGES || this.#links.length >= PART_LINKS / 2
  }

  add(entry: FrontierEntry, exchange: Exchange): void {
    const { url, depth, hops, via } = entry
    const { responseHead, payload, startedAt, fetchMs, truncated = '' } = exchange
    const [headBytes, payloadBytes] = [responseHead.length, payload.length]
    this.#visits.push(
      writeVisitRow({ url, depth, hops, via, startedAt, fetchMs, headBytes, payloadBytes, truncated }),
    )
    // A copy: the fetcher uses the memory of a body again.
    this.#exchanges.push(Buffer.concat([responseHead, payload]))
    this.#bytes += headBytes + payloadBytes + url.length + ROW_LENGTH_BYTES
  }

  judge(url: string): void {
    takeFingerprint(url)
    this.#judged.push(fingerprint.low, fingerprint.high)
  }

  link(discovery: Discovery): void {
    this.#links.push(writeDiscoveryRow(discovery))
    this.#bytes += discovery.url.length + discovery.via.length + ROW_LENGTH_BYTES
  }

  sections() {
    const judged = Buffer.alloc(this.#judged.length * 4)
    this.#judged.forEach((half, at) => {
      judged.writeUInt32LE(half >>> 0, at * 4)
    })
    return {
      visits: Buffer.from(this.#visits.join('')),
      exchanges: Buffer.concat(this.#exchanges),
      judged,
      links: Buffer.from(this.#links.join('')),
    }
  }
}
