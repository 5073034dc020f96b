/**
 * Undoes Content-Encoding within limits. Small bodies are decoded synchronously: the thread pool would cost
 * six times as much (185 us instead of 27 for a page of 16 KB). Large bodies, and small ones with large
 * output, are streamed, so that a decompression bomb stops at the limit and does not block the event loop.
 */

import { Semaphore } from '../../../model/index.js'
import { codingFor } from './codings.js'
import type { Coding, Cut, Decoded } from './decoded.js'

/**
 * Bodies decoded in the thread pool at once: each may need a body's memory, and others need the four threads
 * too.
 */
const LATE_BODIES = 2

export class ContentDecoder {
  readonly #maxCodings: number
  readonly #late = new Semaphore(LATE_BODIES)

  constructor(maxCodings: number) {
    this.#maxCodings = maxCodings
  }

  /**
   * Undoes `codings`, listed in the order of application. Returns a promise if the body is too large to be
   * decoded synchronously; decoding then first waits for `room` for `maxBytes`.
   */
  decode(
    payload: Buffer,
    codings: readonly string[],
    maxBytes: number,
    room: () => Promise<void> = async () => {},
  ): Decoded | Promise<Decoded> {
    if (codings.length > this.#maxCodings) {
      return { ok: false, detail: `${codings.length} nested content encodings` }
    }
    let body = payload
    let cut: Cut | null = null
    for (let i = codings.length - 1; i >= 0 && body.length > 0; i--) {
      const way = codingFor(codings[i], body)
      if (way === 'identity') continue
      if (way === 'unknown') return { ok: false, detail: `cannot decode ${codings[i]}` }
      const decoded = way.atOnce(body, maxBytes)
      if (decoded === 'later') {
        const [input, before] = [body, cut]
        const later = room().then(() => this.#decodeLater(way, input, codings.slice(0, i), maxBytes))
        return before === null ? later : later.then(late => (late.ok ? { ...late, cut: before } : late))
      }
      if (!decoded.ok) return decoded
      body = decoded.body
      cut ??= decoded.cut
    }
    return { ok: true, body, cut }
  }

  /** Undoes the last coding in the thread pool, then the others. */
  async #decodeLater(
    way: Coding,
    payload: Buffer,
    rest: readonly string[],
    maxBytes: number,
  ): Promise<Decoded> {
    const decoded = await this.#late.run(() => way.later(payload, maxBytes))
    if (!decoded.ok) return decoded
    const inner = await this.decode(decoded.body, rest, maxBytes)
    return inner.ok ? { ...inner, cut: decoded.cut ?? inner.cut } : inner
  }
}
