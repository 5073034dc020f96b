/** Messages between a sandbox and its child: uint32 length (little endian), then so many bytes. */

const LENGTH_BYTES = 4

export function frameOf(bytes: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(LENGTH_BYTES + bytes.length)
  frame.writeUInt32LE(bytes.length)
  frame.set(bytes, LENGTH_BYTES)
  return frame
}

/** Puts frames together from the pieces in which they arrive. */
export class FrameReader {
  readonly #mostBytes: number
  #pieces: Buffer[] = []
  #length = 0

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes
  }

  push(piece: Buffer): void {
    this.#pieces.push(piece)
    this.#length += piece.length
  }

  /** The next whole frame, without its length; null until it has arrived. Throws if it is too long. */
  next(): Buffer | null {
    if (this.#length < LENGTH_BYTES) return null
    const bytes = this.#prefix(LENGTH_BYTES).readUInt32LE(0)
    if (bytes > this.#mostBytes) throw new RangeError(`${bytes} bytes are more than ${this.#mostBytes}`)
    if (this.#length < LENGTH_BYTES + bytes) return null
    const frame = this.#prefix(LENGTH_BYTES + bytes)
    const rest = this.#pieces[0].subarray(LENGTH_BYTES + bytes)
    if (rest.length > 0) this.#pieces[0] = rest
    else this.#pieces.shift()
    this.#length -= LENGTH_BYTES + bytes
    return frame.subarray(LENGTH_BYTES)
  }

  /** The first bytes, which are then in one piece. */
  #prefix(bytes: number): Buffer {
    let [first] = this.#pieces
    if (first.length < bytes) {
      let count = 0
      for (let length = 0; length < bytes; count++) length += this.#pieces[count].length
      first = Buffer.concat(this.#pieces.splice(0, count))
      this.#pieces.unshift(first)
    }
    return first.subarray(0, bytes)
  }
}
