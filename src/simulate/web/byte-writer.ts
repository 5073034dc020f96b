/**
 * Writes text into a growing buffer. Each character of a text is one byte of the UTF-8 result. A page has
 * forty links of a dozen short pieces each; to join them as strings would take three times as long.
 */
export class ByteWriter {
  bytes: Buffer = Buffer.allocUnsafe(64 * 1024)
  length = 0

  text(text: string): void {
    const size = text.length
    if (this.length + size > this.bytes.length) this.#grow(size)
    const { bytes } = this
    let at = this.length
    this.length = at + size
    // A call of the native function is worth it for long texts only.
    if (size > 64) bytes.write(text, at, 'latin1')
    else for (let i = 0; i < size; i++) bytes[at++] = text.charCodeAt(i)
  }

  /** A whole number that is not negative, in decimal. */
  number(value: number): void {
    if (this.length + 16 > this.bytes.length) this.#grow(16)
    let digits = 1
    for (let rest = value; rest >= 10; rest = Math.floor(rest / 10)) digits++
    let rest = value
    for (let at = this.length + digits - 1; at >= this.length; at--) {
      const higher = Math.floor(rest / 10)
      this.bytes[at] = 48 + rest - higher * 10
      rest = higher
    }
    this.length += digits
  }

  chunk(chunk: Uint8Array): void {
    if (this.length + chunk.length > this.bytes.length) this.#grow(chunk.length)
    this.bytes.set(chunk, this.length)
    this.length += chunk.length
  }

  /** Starts a new buffer, because a socket still reads the old one. */
  renew(): void {
    this.bytes = Buffer.allocUnsafe(this.bytes.length)
    this.length = 0
  }

  #grow(size: number): void {
    const larger = Buffer.allocUnsafe(Math.max(this.bytes.length * 2, this.length + size))
    this.bytes.copy(larger, 0, 0, this.length)
    this.bytes = larger
  }
}
