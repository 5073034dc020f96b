/**
 * Memory for large tables in pieces of one size, cut from blocks that are reused. With arrays of many sizes,
 * malloc and the garbage collector would hold twice the memory in use.
 */
const PIECE_WORDS = 2048
const PIECES_PER_BLOCK = 64

export const PIECE_BYTES = PIECE_WORDS * 4

export class Slab {
  readonly #free: Uint32Array[] = []

  /** A piece of zeros. */
  take(): Uint32Array {
    const piece = this.#free.pop()
    if (piece !== undefined) return piece.fill(0)
    const block = new ArrayBuffer(PIECES_PER_BLOCK * PIECE_BYTES)
    for (let i = 1; i < PIECES_PER_BLOCK; i++)
      this.#free.push(new Uint32Array(block, i * PIECE_BYTES, PIECE_WORDS))
    return new Uint32Array(block, 0, PIECE_WORDS)
  }

  giveBack(piece: Uint32Array): void {
    this.#free.push(piece)
  }
}
