/** Writes links in the spellings that real pages use, all of which normalise to one URL. */
import type { Random } from '../../model/index.js'
import type { ByteWriter } from './byte-writer.js'
import type { WebPath } from './page-path.js'

/** The base of a page's relative links. */
export interface HrefBase {
  /** `http://host:port` of the page's site. */
  readonly origin: string
  readonly folder: string
  /** The depth of the page's folder; 0 with a `<base>` at the root. */
  readonly depth: number
  /** The page is itself a query of its folder's `view`, and has no `<base>`. */
  readonly isQuery: boolean
}

const FRAGMENTS = ['#top', '#s1', '#s2', '#notes', '#s3-detail', '#']
const AMPERSANDS = ['&amp;', '&amp;', '&amp;', '&#38;', '&#x26;', '&']
const CLIMB = ['', '../', '../../', '../../../']
const SCHEME = 'http:'.length
const VIEW = 'view'.length

/** Writes the links of one page with random spelling, quotes and escapes. */
export class HrefWriter {
  readonly #writer: ByteWriter
  readonly #base: HrefBase
  readonly #random: Random
  /** Whether the escapes of the current path are written as they are. */
  #plain = true

  constructor(writer: ByteWriter, base: HrefBase, random: Random) {
    this.#writer = writer
    this.#base = base
    this.#random = random
  }

  /** `attribute` (` href=`), then `origin` and `path` in some spelling, quoted or not. */
  write(attribute: string, origin: string, path: WebPath): void {
    const writer = this.#writer
    const random = this.#random
    const roll = random.next()
    this.#plain = path.respelled === path.stem || random.next() < 0.5
    const local = origin === this.#base.origin
    const padded = local && roll >= 0.98
    const quote = quoteOf(random.next(), padded || (!this.#plain && path.respelled.includes(' ')))
    writer.text(attribute)
    writer.text(quote)
    if (padded) writer.text(' ')
    if (local && roll >= 0.65 && roll < 0.92) this.#relative(path)
    else if (local) this.#local(path, roll)
    else this.#foreign(origin, path, roll)
    if (random.next() < 0.12) writer.text(FRAGMENTS[Math.floor(random.next() * FRAGMENTS.length)])
    if (padded) writer.text('\n')
    writer.text(quote)
  }

  #local(path: WebPath, roll: number): void {
    const writer = this.#writer
    const { origin } = this.#base
    if (roll >= 0.45 && roll < 0.65) writer.text(origin)
    else if (roll >= 0.92 && roll < 0.94) writer.text(origin.slice(SCHEME))
    else if (roll >= 0.94 && roll < 0.96) writer.text('/./x/..')
    else if (roll >= 0.96 && roll < 0.98) writer.text(origin.toUpperCase())
    writer.text(path.folder)
    this.#file(path)
  }

  #foreign(origin: string, path: WebPath, roll: number): void {
    const writer = this.#writer
    if (roll < 0.9) writer.text(origin)
    else if (roll < 0.96) writer.text(origin.slice(SCHEME))
    else writer.text(origin.toUpperCase())
    // A bare origin has an empty path, which means "/".
    if (roll >= 0.8 && path.number < 0) return
    writer.text(path.folder)
    this.#file(path)
  }

  #relative(path: WebPath): void {
    const writer = this.#writer
    const { depth, folder, isQuery } = this.#base
    if (path.number < 0) writer.text(depth === 0 ? './' : CLIMB[depth])
    else if (path.folder !== folder || depth === 0) {
      writer.text(CLIMB[depth])
      writer.text(path.folder.slice(1))
      this.#file(path)
    } else if (isQuery && path.isQuery()) {
      writer.text(path.stem.slice(VIEW))
      writer.number(path.number)
      this.#tail(path)
    } else {
      writer.text(CLIMB[depth - 1])
      this.#file(path)
    }
  }

  /** Writes the part after the folder. */
  #file(path: WebPath): void {
    if (path.number < 0) return
    this.#writer.text(this.#plain ? path.stem : path.respelled)
    this.#writer.number(path.number)
    this.#tail(path)
  }

  #tail(path: WebPath): void {
    const isQuery = path.isQuery()
    if (isQuery) this.#writer.text(AMPERSANDS[Math.floor(this.#random.next() * AMPERSANDS.length)])
    this.#writer.text(isQuery ? path.tail.slice(1) : path.tail)
  }
}

function quoteOf(roll: number, needed: boolean): string {
  if (roll < 0.86) return '"'
  return roll < 0.92 || needed ? "'" : ''
}
