/**
 * The journal of a cell: what a pack adds to its derived state, as lines of text. Each line begins with its kind:
 *
 *   D depth hops score url via     a URL joined the queue
 *   O code fingerprint             a URL left it for good
 *   R fingerprint attempt time     a URL is to be tried again
 *
 * URLs of the cell's own site are written without scheme and host; `via` is left out where it is the line before's.
 * A blob is one byte (0 plain, 1 deflated) and the text; its first line is the cell.
 */
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { type CellId, type Discovery, siteOfCell } from '../model/cell.js'
import type { Millis } from '../model/clock.js'
import { fingerprint, takeFingerprint } from '../model/fingerprint.js'
import type { OutcomeCode } from '../model/outcome.js'

/** Smaller texts are not worth a call into zlib. */
const DEFLATE_CHARS = 1_024
/** A journal is at most as long as what a pack can hold; more is damage. */
const TEXT_BYTES_MAX = 256 * 1024 * 1024
const PLAIN = 0
const DEFLATED = 1

export class JournalWriter {
  readonly #http: string
  readonly #https: string
  #text: string
  #via = ''

  constructor(cell: CellId) {
    this.#text = `${cell}\n`
    this.#http = `http://${siteOfCell(cell)}/`
    this.#https = `https://${siteOfCell(cell)}/`
  }

  discover({ url, depth, hops, score, via }: Discovery): void {
    const from = via === this.#via ? '' : this.#short(via)
    this.#via = via
    this.#text += `D${depth}\t${hops}\t${score}\t${this.#short(url)}\t${from}\n`
  }

  outcome(url: string, code: OutcomeCode): void {
    takeFingerprint(url)
    this.#text += `O${code}\t${fingerprint.low.toString(36)}\t${fingerprint.high.toString(36)}\n`
  }

  retry(url: string, attempt: number, notBefore: Millis): void {
    takeFingerprint(url)
    const { low, high } = fingerprint
    this.#text += `R${low.toString(36)}\t${high.toString(36)}\t${attempt}\t${Math.ceil(notBefore)}\n`
  }

  /** The blob; may be asked for again when the pack has to be rewritten. */
  finish(): Uint8Array {
    const text = Buffer.from(this.#text)
    if (text.length < DEFLATE_CHARS) return Buffer.concat([Buffer.of(PLAIN), text])
    return Buffer.concat([Buffer.of(DEFLATED), deflateRawSync(text, { level: 1 })])
  }

  #short(url: string): string {
    if (url.startsWith(this.#http)) return `h${url.slice(this.#http.length)}`
    if (url.startsWith(this.#https)) return `s${url.slice(this.#https.length)}`
    return `f${url}`
  }
}

export interface JournalReader {
  discovered?: (discovery: Discovery) => void
  settled?: (low: number, high: number, code: OutcomeCode) => void
  retried?: (low: number, high: number, attempt: number, notBefore: Millis) => void
}

/** Replays a blob in the order it was written. */
export function readJournal(blob: Uint8Array, reader: JournalReader): void {
  const text = textOf(blob)
  const first = text.indexOf('\n')
  const site = siteOfCell(text.slice(0, first))
  let via = ''
  for (let at = first + 1; at < text.length; ) {
    const end = text.indexOf('\n', at)
    const kind = text[at]
    if (kind === 'D') {
      // A blank `via` is the line before's, also where nobody looks at this one.
      const [depth, hops, score, url, from] = text.slice(at + 1, end).split('\t')
      if (from !== '') via = long(from, site)
      reader.discovered?.({ url: long(url, site), depth: +depth, hops: +hops, score: +score, via })
    } else if (kind === 'O' && reader.settled) {
      const [code, low, high] = text.slice(at + 1, end).split('\t')
      reader.settled(Number.parseInt(low, 36), Number.parseInt(high, 36), code as OutcomeCode)
    } else if (kind === 'R' && reader.retried) {
      const [low, high, attempt, notBefore] = text.slice(at + 1, end).split('\t')
      reader.retried(Number.parseInt(low, 36), Number.parseInt(high, 36), +attempt, +notBefore)
    }
    at = end + 1
  }
}

export function readDiscoveries(blob: Uint8Array, take: (discovery: Discovery) => void): void {
  readJournal(blob, { discovered: take })
}

function textOf(blob: Uint8Array): string {
  const body = blob.subarray(1)
  const bytes =
    blob[0] === DEFLATED ? inflateRawSync(body, { maxOutputLength: TEXT_BYTES_MAX }) : Buffer.from(body)
  return bytes.toString()
}

function long(short: string, site: string): string {
  const rest = short.slice(1)
  if (short[0] === 'h') return `http://${site}/${rest}`
  if (short[0] === 's') return `https://${site}/${rest}`
  return rest
}
