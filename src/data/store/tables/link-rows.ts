/**
 * Links of one page in bytes, little endian: uint32 size, uint32 count, uint32 length of the page's URL, that
 * URL; then each link: one byte of `LinkKind` bits, uint32 length, target URL. The URL of the page is stored
 * once per group, not once per link.
 */
import type { ByteSink } from '../bytes/index.js'

/** Links as the tables keep them; `targets[i]` has kind `kinds[i]`. */
export interface PageLinks {
  readonly targets: readonly string[]
  readonly kinds: ArrayLike<number>
}

const FIXED_BYTES = 12

// A page may have 50,000 links of 2 KB: in groups of this many, a reader never needs more than a few MB at
// once.
const LINKS_PER_GROUP = 1_000

export function appendLinks(sink: ByteSink, url: string, links: PageLinks): void {
  for (let from = 0; from < links.targets.length; from += LINKS_PER_GROUP) {
    appendGroup(sink, url, links, from, Math.min(from + LINKS_PER_GROUP, links.targets.length))
  }
}

function appendGroup(sink: ByteSink, url: string, links: PageLinks, from: number, to: number): void {
  const start = sink.length
  sink.reserve(FIXED_BYTES)
  sink.advance(FIXED_BYTES)
  const urlBytes = sink.text(url)
  for (let i = from; i < to; i++) {
    const at = sink.length
    sink.reserve(5)
    sink.advance(5)
    const size = sink.text(links.targets[i])
    const bytes = sink.reserve(0)
    bytes[at] = links.kinds[i]
    bytes.writeUInt32LE(size, at + 1)
  }
  const bytes = sink.reserve(0)
  bytes.writeUInt32LE(sink.length - start, start)
  bytes.writeUInt32LE(to - from, start + 4)
  bytes.writeUInt32LE(urlBytes, start + 8)
}

/** Looks at the links of a segment one by one: `while (view.next()) …`. */
export class LinkRowView {
  readonly bytes: Buffer
  urlStart = 0
  urlEnd = 0
  targetStart = 0
  targetEnd = 0
  kind = 0
  #at = 0
  #left = 0

  constructor(bytes: Buffer) {
    this.bytes = bytes
  }

  next(): boolean {
    while (this.#left === 0) {
      if (this.#at >= this.bytes.length) return false
      this.#left = this.bytes.readUInt32LE(this.#at + 4)
      this.urlStart = this.#at + FIXED_BYTES
      this.urlEnd = this.urlStart + this.bytes.readUInt32LE(this.#at + 8)
      this.#at = this.urlEnd
    }
    this.#left--
    this.kind = this.bytes[this.#at]
    this.targetStart = this.#at + 5
    this.targetEnd = this.targetStart + this.bytes.readUInt32LE(this.#at + 1)
    this.#at = this.targetEnd
    return true
  }
}
