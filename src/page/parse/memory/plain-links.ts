/**
 * The fast path of link resolution: one pass from the bytes of an href to the bytes and the fingerprint of a
 * URL, without a string. It resolves links of plain characters to the page's own origin and to origins met
 * before, and leaves all others to `LinkResolver`. `assembly/links.ts` does the work.
 */

import { fingerprint, type WasmMemory, type WasmPlace } from '../../../model/bytes/index.js'
import { originOf, pathStart } from '../../../model/url/index.js'

export interface LinkExports {
  readonly memory: WasmMemory
  readonly BASE_BYTES: WasmPlace
  readonly RESULTS: WasmPlace
  readonly TARGETS: WasmPlace
  attachBase(whole: number, origin: number, folder: number, path: number, ownQueries: boolean): void
  readLink(from: number, to: number): number
  settleOrigin(from: number, length: number): void
}

/** Results of `read`. `notHttp`: a link of another scheme, such as `mailto:`. */
export const Read = { odd: 0, plain: 1, notHttp: 2 } as const

/** Indexes of the results of `readLink`. */
const Result = { low: 0, high: 1, start: 2, length: 3, isOwn: 4 } as const

export class PlainLinks {
  readonly #wasm: LinkExports
  readonly #results: Uint32Array
  readonly #memory: Buffer
  readonly #base: number
  readonly #baseBytes: number

  constructor(wasm: LinkExports) {
    const { buffer } = wasm.memory
    this.#wasm = wasm
    this.#results = new Uint32Array(buffer, wasm.RESULTS.value, 5)
    this.#memory = Buffer.from(buffer)
    this.#base = wasm.TARGETS.value
    this.#baseBytes = wasm.BASE_BYTES.value
  }

  /**
   * Sets the base for the next links: a normalised URL, or null to treat no link as plain. With `ownQueries`,
   * non-ASCII letters in a query are sent in the encoding of the page, and such links are not plain.
   */
  attach(base: string | null, ownQueries: boolean): void {
    if (base === null || base.length > this.#baseBytes) {
      this.#wasm.attachBase(0, 0, 0, 0, ownQueries)
      return
    }
    this.#memory.latin1Write(base, this.#base)
    const query = base.indexOf('?')
    const path = query < 0 ? base.length : query
    // `LinkResolver` drops an empty query too.
    const whole = query === base.length - 1 ? path : base.length
    this.#wasm.attachBase(whole, originOf(base).length, base.lastIndexOf('/', path) + 1, path, ownQueries)
  }

  /**
   * Reads the href at `from..to` of the page; returns a value of `Read`. Takes the fingerprint of a plain
   * link.
   */
  read(from: number, to: number): number {
    const read = this.#wasm.readLink(from, to)
    if (read === Read.plain) {
      fingerprint.low = this.#results[Result.low]!
      fingerprint.high = this.#results[Result.high]!
    }
    return read
  }

  /** The URL of the last plain link. */
  url(): string {
    const start = this.#results[Result.start]!
    return this.#memory.latin1Slice(start, start + this.#results[Result.length]!)
  }

  /** Whether the last plain link has the base's origin. */
  get isOwn(): boolean {
    return this.#results[Result.isOwn] === 1
  }

  /**
   * Remembers the origin of `url`, which the resolver made of the href at `start`, if it is spelled the same
   * there.
   */
  settle(bytes: Uint8Array, start: number, url: string): void {
    const slash = pathStart(url)
    if (bytes[start + slash] !== 0x2f) return
    for (let i = 0; i < slash; i++) if (bytes[start + i] !== url.charCodeAt(i)) return
    this.#wasm.settleOrigin(start, slash)
  }
}
