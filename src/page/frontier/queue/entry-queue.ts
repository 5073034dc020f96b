/**
 * Stores discoveries as bytes in a `ByteQueue`: about 40 for a typical URL. Strings would take 200 and could
 * keep the page from which they were cut in memory. The origin, and the `via` of the previous entry, are not
 * repeated.
 */
import type { Discovery } from '../../../model/index.js'
import { originOf } from '../../../model/url/index.js'
import { ByteReader, ByteWriter } from '../spill/index.js'
import { ByteQueue } from './byte-queue.js'
import type { QueueEntry } from './cell-queue.js'
import type { QueueSpace } from './queue-space.js'

const SAME_ORIGIN = 1
const SAME_VIA = 2
const VIA_SAME_ORIGIN = 4
const HAS_SCORE = 8

/** Each entry begins with the length of the rest. */
const LENGTH_BYTES = 4
const FIRST_CAPACITY = 8192

const writer = new ByteWriter(FIRST_CAPACITY)
let incoming = Buffer.alloc(FIRST_CAPACITY)

export class EntryQueue {
  readonly #bytes: ByteQueue
  /** The origin of the first URL, which nearly all URLs of a cell share. */
  #origin = ''
  #lastViaIn = ''
  #lastViaOut = ''

  constructor(space: QueueSpace) {
    this.#bytes = new ByteQueue(space)
  }

  get isEmpty(): boolean {
    return this.#bytes.bytes === 0
  }

  push(discovery: Discovery): void {
    const { url, via, score } = discovery
    if (this.#origin === '') this.#origin = withOwnMemory(originOf(url))
    const origin = this.#origin
    const ownUrl = isBelow(url, origin)
    const sameVia = via === this.#lastViaIn
    const ownVia = !sameVia && isBelow(via, origin)
    writer.reset()
    writer.word(0)
    writer.byte(
      (ownUrl ? SAME_ORIGIN : 0) |
        (sameVia ? SAME_VIA : 0) |
        (ownVia ? VIA_SAME_ORIGIN : 0) |
        (score === 0 ? 0 : HAS_SCORE),
    )
    writer.number(discovery.depth)
    writer.number(discovery.hops)
    if (score !== 0) writer.float(score)
    writer.text(url, ownUrl ? origin.length : 0)
    if (!sameVia) writer.text(via, ownVia ? origin.length : 0)
    writer.wordAt(0, writer.length - LENGTH_BYTES)
    this.#bytes.push(writer.view, writer.length)
    if (!sameVia) this.#lastViaIn = withOwnMemory(via)
  }

  /** The first entry, which must exist. */
  shift(): QueueEntry {
    this.#bytes.take(incoming, LENGTH_BYTES)
    const length = incoming.readUInt32LE(0)
    if (incoming.length < length) incoming = Buffer.alloc(length * 2)
    this.#bytes.take(incoming, length)
    const reader = new ByteReader(incoming, 0, length)
    const flags = reader.byte()
    const depth = reader.number()
    const hops = reader.number()
    const score = (flags & HAS_SCORE) === 0 ? 0 : reader.float()
    const url = ((flags & SAME_ORIGIN) === 0 ? '' : this.#origin) + reader.text()
    if ((flags & SAME_VIA) === 0) {
      this.#lastViaOut = ((flags & VIA_SAME_ORIGIN) === 0 ? '' : this.#origin) + reader.text()
    }
    return { url, depth, hops, score, via: this.#lastViaOut, attempt: 1 }
  }

  clear(): void {
    this.#bytes.clear()
  }
}

function isBelow(url: string, origin: string): boolean {
  return url.charCodeAt(origin.length) === 0x2f && url.startsWith(origin)
}

/** Copies the text: a substring would keep the whole page in memory. */
function withOwnMemory(text: string): string {
  return Buffer.from(text).toString()
}
