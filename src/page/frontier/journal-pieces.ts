/**
 * Holds the discoveries of a journal in pieces that are deflated as they fill: the URLs of a pack take a
 * fifth of their memory, and a reader needs one piece at a time. Entries are not divided.
 */

import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { DEFLATE_BYTES, JOURNAL_PIECES_PIECE_BYTES } from '../limits.js'
import { ByteReader, ByteWriter } from './spill/index.js'

const PLAIN = 0
const DEFLATED = 1
/** Smaller than zlib's defaults, whose set-up costs more than compressing sixty URLs. */
const DEFLATE = { level: 1, windowBits: 14, memLevel: 7 } as const
/** Upper bound of the form and lengths of a piece. */
const PIECE_HEAD_BYTES = 16

interface Piece {
  readonly form: typeof PLAIN | typeof DEFLATED
  readonly plainBytes: number
  readonly stored: Uint8Array
}

export class PieceWriter {
  /** Entries are written here; `endEntry` follows each. */
  readonly entry = new ByteWriter(192)
  readonly #full: Piece[] = []
  #fullBytes = 0

  /** Memory held. */
  get bytes(): number {
    return this.#fullBytes + this.entry.length
  }

  endEntry(): void {
    if (this.entry.length < JOURNAL_PIECES_PIECE_BYTES) return
    const piece = pieceOf(this.entry.view)
    // zlib returns a view of a larger buffer.
    this.#full.push({ ...piece, stored: Buffer.from(piece.stored) })
    this.#fullBytes += piece.stored.length
    this.entry.reset()
  }

  /** All pieces, including the incomplete one. */
  finish(): Uint8Array {
    const pieces = this.entry.length > 0 ? [...this.#full, pieceOf(this.entry.view)] : this.#full
    const storedBytes = pieces.reduce((sum, { stored }) => sum + stored.length + PIECE_HEAD_BYTES, 8)
    const out = new ByteWriter(storedBytes)
    out.number(pieces.length)
    for (const { form, plainBytes, stored } of pieces) {
      out.byte(form)
      out.number(plainBytes)
      out.number(stored.length)
      out.append(stored)
    }
    return out.view
  }
}

function pieceOf(plain: Uint8Array): Piece {
  if (plain.length < DEFLATE_BYTES) return { form: PLAIN, plainBytes: plain.length, stored: plain }
  return { form: DEFLATED, plainBytes: plain.length, stored: deflateRawSync(plain, DEFLATE) }
}

/** Reads the positions of the pieces that a `PieceWriter` wrote, and moves `source` behind them. */
export function piecesIn(source: ByteReader): Piece[] {
  const pieces: Piece[] = []
  for (let left = source.number(); left > 0; left--) {
    const form = source.byte() === PLAIN ? PLAIN : DEFLATED
    const plainBytes = source.number()
    pieces.push({ form, plainBytes, stored: source.bytes(source.number()) })
  }
  return pieces
}

/** Reads the entries of pieces, one piece at a time. */
export class PieceReader {
  readonly #pieces: readonly Piece[]
  #next = 0
  #current = new ByteReader(new Uint8Array(0))

  constructor(pieces: readonly Piece[]) {
    this.#pieces = pieces
  }

  get hasMore(): boolean {
    return this.#current.at < this.#current.end || this.#next < this.#pieces.length
  }

  /** Moves to the next entry, which must exist. */
  entry(): ByteReader {
    if (this.#current.at >= this.#current.end) this.#current = new ByteReader(this.#open(this.#next++))
    return this.#current
  }

  #open(piece: number): Uint8Array {
    if (piece >= this.#pieces.length) throw new RangeError('the discoveries end too early')
    const { form, plainBytes, stored } = this.#pieces[piece]
    return form === PLAIN ? stored : inflateRawSync(stored, { maxOutputLength: plainBytes })
  }
}
