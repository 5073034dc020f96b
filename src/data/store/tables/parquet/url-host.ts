/** Host names in URL bytes, and their registrable domains. */
import { registrableDomain } from '../../../../model/url/index.js'

const SLASH = 0x2f
const COLON = 0x3a
const BRACKET = 0x5d
const QUESTION = 0x3f
/** `https:`, at most. */
const SCHEME_BYTES = 6
/** Cached domains: a look-up in the public suffix list takes one or two microseconds. */
const REMEMBERED_HOSTS = 20_000

/** Result of `findHost`: start and end of the host name; valid until the next call. */
export const host = { start: 0, end: 0 }

/** Finds the host, without port, in the normalised URL at `start` to `end`; an empty range if it has none. */
export function findHost(bytes: Buffer, start: number, end: number): void {
  host.start = host.end = start
  let at = start
  const schemeEnd = Math.min(end - 1, start + SCHEME_BYTES)
  while (at < schemeEnd && bytes[at] !== SLASH) at++
  if (bytes[at] !== SLASH || bytes[at + 1] !== SLASH) return
  at += 2
  host.start = at
  let port = -1
  for (; at < end; at++) {
    const byte = bytes[at]
    if (byte === SLASH || byte === QUESTION) break
    if (byte === COLON) port = at
    else if (byte === BRACKET) port = -1
  }
  host.end = port < 0 ? at : port
}

export class Domains {
  readonly #known = new Map<string, Buffer>()

  /** The registrable domain of the host at `host.start` to `host.end`. */
  of(bytes: Buffer): Buffer {
    const name = bytes.toString('latin1', host.start, host.end)
    let domain = this.#known.get(name)
    if (domain === undefined) {
      if (this.#known.size >= REMEMBERED_HOSTS) this.#known.clear()
      domain = Buffer.from(registrableDomain(name))
      this.#known.set(name, domain)
    }
    return domain
  }
}
