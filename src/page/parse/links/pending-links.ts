/**
 * The links of one page in the order they were found. They are resolved at the end, because a `<base>` may
 * come after them. The scanner adds ranges of bytes, so that a repeated link needs no string.
 */
import { fingerprint } from '../../../model/bytes/index.js'
import { type KnownLinks, LIMITS, LinkKind } from '../../../model/index.js'
import { type PageMemory, Read } from '../memory/index.js'
import { decodeValue } from '../tags/index.js'
import { LinkSet } from './link-set.js'
import type { PageBase } from './page-base.js'

export interface PageLinks {
  readonly links: readonly string[]
  readonly kinds: Uint8Array
  /** Number of links left out because the crawl knows them. */
  readonly known: number
}

const linkSet = new LinkSet()

export class PendingLinks {
  #count = 0
  /** Range of each link in the page's bytes; a negative start `~n` stands for `#texts[n]`. */
  #starts = new Int32Array(256)
  #ends = new Int32Array(256)
  #kinds = new Uint8Array(256)
  #texts: string[] = []

  reset(): void {
    this.#count = 0
    if (this.#texts.length > 0) this.#texts = []
  }

  addRange(start: number, end: number, kind: number): void {
    if (this.#count === this.#kinds.length && !this.#grow()) return
    this.#starts[this.#count] = start
    this.#ends[this.#count] = end
    this.#kinds[this.#count++] = kind
  }

  /** Adds the first `count` of the anchors that the last scan left in `memory`. */
  addFound({ found }: PageMemory, count: number): void {
    for (let i = 0; i < count; i++) {
      const start = found[2 * i]!
      const end = found[2 * i + 1]!
      // As in `AttributeSlots`, an href above the limit counts as missing.
      if (end - start <= LIMITS.attributeBytes) this.addRange(start, end, LinkKind.anchor)
    }
  }

  addText(href: string, kind: number): void {
    this.addRange(~this.#texts.length, 0, kind)
    this.#texts.push(href)
  }

  /**
   * Resolves all links; of equal URLs of one kind the first stays. Links that `known` has are only counted.
   */
  resolve(base: PageBase, memory: PageMemory, known: KnownLinks | null): PageLinks {
    const { bytes, links: plainLinks } = memory
    plainLinks.attach(base.url, base.ownQueries)
    linkSet.reset(this.#count)
    let linksItself = false
    for (let i = 0; i < this.#count && !linkSet.full; i++) {
      const start = this.#starts[i]!
      const end = this.#ends[i]!
      const kind = this.#kinds[i]!
      if (kind === LinkKind.anchor && bytes[start] === 0x23) {
        // Links to the page itself, as in a table of contents: one is enough.
        if (linksItself) continue
        linksItself = true
      }
      const read = start < 0 ? Read.odd : plainLinks.read(start, end)
      if (read === Read.plain) {
        if (!linkSet.add(kind)) continue
        if (known?.has(fingerprint.low, fingerprint.high, plainLinks.isOwn)) continue
        linkSet.list(plainLinks.url(), kind)
      } else if (read === Read.odd) {
        const url = base.resolve(start < 0 ? this.#texts[~start]! : decodeValue(bytes, start, end))
        if (url === null) continue
        linkSet.addText(url, kind)
        if (start >= 0) plainLinks.settle(bytes, start, url)
      }
    }
    const { links, count } = linkSet
    return { links, kinds: linkSet.kinds(), known: count - links.length }
  }

  #grow(): boolean {
    if (this.#count >= LIMITS.linksFound) return false
    const size = Math.min(this.#count * 4, LIMITS.linksFound)
    this.#starts = enlarged(this.#starts, new Int32Array(size))
    this.#ends = enlarged(this.#ends, new Int32Array(size))
    this.#kinds = enlarged(this.#kinds, new Uint8Array(size))
    return true
  }
}

function enlarged<T extends Int32Array | Uint8Array>(from: T, to: T): T {
  to.set(from)
  return to
}
