/**
 * A first-in-first-out queue of bytes in memory and on disk. Bytes join the back; if memory is short, the
 * back moves to disk behind earlier pages. Bytes leave from the front, which is filled from disk in small
 * pieces.
 *
 * front (memory) <- pages (disk) <- back (memory). A page begins with the number of the next page and its own
 * length, so no list of pages is needed.
 */
import { BYTE_QUEUE_PIECE_BYTES } from '../../limits.js'
import { BlockList, NO_CLASS, NO_PAGE, PAGE_BYTES, type SpillHolder } from '../spill/index.js'
import type { QueueSpace } from './queue-space.js'

const HEADER_BYTES = 8

const pageBytes = new Uint8Array(PAGE_BYTES)
const pageHeader = new DataView(pageBytes.buffer)
const piece = new Uint8Array(BYTE_QUEUE_PIECE_BYTES)
const pieceHeader = new DataView(piece.buffer)

export class ByteQueue implements SpillHolder {
  spillClass = NO_CLASS
  readonly #space: QueueSpace
  readonly #front: BlockList
  readonly #back: BlockList
  #bytesOnDisk = 0
  /** The page being read: its number, the position in it, its end, and the number of the next page. */
  #page = NO_PAGE
  #pageAt = 0
  #pageEnd = 0
  #pageAfter = NO_PAGE
  /** The page to write next, whose number is already stored in the page before. */
  #pageToWrite = NO_PAGE

  constructor(space: QueueSpace) {
    this.#space = space
    this.#front = new BlockList(space.pool)
    this.#back = new BlockList(space.pool)
  }

  get bytes(): number {
    return this.#front.bytes + this.#bytesOnDisk + this.#back.bytes
  }

  push(source: Uint8Array, count: number): void {
    this.#space.reserve(count)
    this.#back.append(source, 0, count)
    this.#space.order.update(this, this.#back.bytes)
  }

  /** Moves the first `count` bytes to the start of `target`; there must be that many. */
  take(target: Uint8Array, count: number): void {
    for (let at = 0; at < count; ) {
      if (this.#front.bytes === 0 && this.#bytesOnDisk > 0) this.#loadPiece()
      const from = this.#front.bytes > 0 ? this.#front : this.#back
      const end = Math.min(count, at + from.bytes)
      from.take(target, at, end)
      if (from === this.#back) this.#space.order.update(this, this.#back.bytes)
      at = end
    }
  }

  spill(): void {
    const { file, order } = this.#space
    if (this.#pageToWrite === NO_PAGE) {
      this.#pageToWrite = file.take()
      this.#page = this.#pageToWrite
      this.#pageAt = 0
    }
    while (this.#back.bytes > 0) {
      const count = Math.min(this.#back.bytes, PAGE_BYTES - HEADER_BYTES)
      this.#back.take(pageBytes, HEADER_BYTES, HEADER_BYTES + count)
      const after = file.take()
      pageHeader.setUint32(0, after)
      pageHeader.setUint32(4, count)
      file.write(this.#pageToWrite, pageBytes)
      this.#pageToWrite = after
      this.#bytesOnDisk += count
    }
    order.update(this, 0)
  }

  /** Empties the queue and frees memory and disk. */
  clear(): void {
    while (this.#bytesOnDisk > 0) {
      this.#front.clear()
      this.#loadPiece()
    }
    this.#front.clear()
    this.#back.clear()
    this.#space.order.update(this, 0)
  }

  #loadPiece(): void {
    const { file } = this.#space
    this.#space.reserve(BYTE_QUEUE_PIECE_BYTES)
    file.read(this.#page, this.#pageAt, piece)
    let from = 0
    if (this.#pageAt === 0) {
      this.#pageAfter = pieceHeader.getUint32(0)
      this.#pageEnd = HEADER_BYTES + pieceHeader.getUint32(4)
      from = HEADER_BYTES
    }
    const to = Math.min(BYTE_QUEUE_PIECE_BYTES, this.#pageEnd - this.#pageAt)
    this.#front.append(piece, from, to)
    this.#bytesOnDisk -= to - from
    this.#pageAt += to
    if (this.#pageAt === this.#pageEnd) this.#leavePage()
  }

  #leavePage(): void {
    const { file } = this.#space
    file.giveBack(this.#page)
    this.#page = this.#pageAfter
    this.#pageAt = 0
    if (this.#bytesOnDisk > 0) return
    file.giveBack(this.#pageToWrite)
    this.#page = NO_PAGE
    this.#pageToWrite = NO_PAGE
  }
}
