/**
 * The links of one page in the order they were found, not yet resolved, because a `<base>` may come after them. The
 * scanner adds ranges of the page's bytes, so that no string is made before it is needed.
 */
import { LIMITS } from '../model/limits.js'
import type { LinkResolver } from '../model/url.js'
import { decodeValue } from './attributes.js'

export interface PageLinks {
  readonly links: readonly string[]
  readonly kinds: Uint8Array
}

export class PendingLinks {
  #count = 0
  /** Range of each link in the page's bytes; a negative start `~n` stands for `#texts[n]`. */
  #starts = new Int32Array(256)
  #ends = new Int32Array(256)
  #kinds = new Uint8Array(256)
  readonly #texts: string[] = []

  addRange(start: number, end: number, kind: number): void {
    if (this.#count === this.#kinds.length && !this.#grow()) return
    this.#starts[this.#count] = start
    this.#ends[this.#count] = end
    this.#kinds[this.#count++] = kind
  }

  addText(href: string, kind: number): void {
    this.addRange(~this.#texts.length, 0, kind)
    this.#texts.push(href)
  }

  /** Resolves all links; of several with the same URL and kind the first stays. */
  resolve(resolver: Pick<LinkResolver, 'resolve'>, bytes: Buffer): PageLinks {
    const links: string[] = []
    const kinds = new Uint8Array(this.#count)
    const seen: Set<string>[] = []
    let chars = 0
    for (let i = 0; i < this.#count; i++) {
      const start = this.#starts[i]!
      const href = start < 0 ? this.#texts[~start]! : decodeValue(bytes, start, this.#ends[i]!)
      const url = resolver.resolve(href)
      if (url === null) continue
      const kind = this.#kinds[i]!
      const known = (seen[kind] ??= new Set())
      const before = known.size
      if (known.add(url).size === before) continue
      chars += url.length
      if (links.length === LIMITS.linksPerPage || chars > LIMITS.linkCharsPerPage) break
      kinds[links.length] = kind
      links.push(url)
    }
    return { links, kinds: kinds.slice(0, links.length) }
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
