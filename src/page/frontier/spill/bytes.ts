/** Writes numbers and text as bytes, for the queue and the journal. Small numbers take one byte. */
export class ByteWriter {
  #bytes: Buffer
  #at = 0

  constructor(capacity: number) {
    this.#bytes = Buffer.allocUnsafe(capacity)
  }

  get length(): number {
    return this.#at
  }

  /** The bytes so far, without a copy; valid until the next write. */
  get view(): Buffer {
    return this.#bytes.subarray(0, this.#at)
  }

  reset(): void {
    this.#at = 0
  }

  byte(value: number): void {
    this.#room(1)
    this.#bytes[this.#at++] = value
  }

  /** A whole number from 0 to 2^53, seven bits per byte, lowest first. */
  number(value: number): void {
    this.#room(8)
    let rest = value
    while (rest > 127) {
      this.#bytes[this.#at++] = (rest % 128) | 128
      rest = Math.floor(rest / 128)
    }
    this.#bytes[this.#at++] = rest
  }

  word(value: number): void {
    this.#room(4)
    this.#at = this.#bytes.writeUInt32LE(value, this.#at)
  }

  /** Overwrites the word at `at`. */
  wordAt(at: number, value: number): void {
    this.#bytes.writeUInt32LE(value, at)
  }

  float(value: number): void {
    this.#room(8)
    this.#at = this.#bytes.writeDoubleLE(value, this.#at)
  }

  /** Length in bytes, then UTF-8, of the text from index `from` on. */
  text(text: string, from = 0): void {
    const start = this.#at
    const units = text.length - from
    this.number(units)
    this.#room(units)
    const bytes = this.#bytes
    let at = this.#at
    for (let i = from; i < text.length; i++) {
      const unit = text.charCodeAt(i)
      if (unit > 127) {
        this.#longText(text.slice(from), start)
        return
      }
      bytes[at++] = unit
    }
    this.#at = at
  }

  append(bytes: Uint8Array): void {
    this.#room(bytes.length)
    this.#bytes.set(bytes, this.#at)
    this.#at += bytes.length
  }

  /** For text with other characters than ASCII; URLs have none. */
  #longText(text: string, start: number): void {
    this.#at = start
    const bytes = Buffer.byteLength(text)
    this.number(bytes)
    this.#room(bytes)
    this.#at += this.#bytes.write(text, this.#at)
  }

  #room(bytes: number): void {
    if (this.#at + bytes <= this.#bytes.length) return
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#at + bytes))
    larger.set(this.#bytes.subarray(0, this.#at))
    this.#bytes = larger
  }
}

/** Reads what a `ByteWriter` wrote. Throws if the bytes end early. */
export class ByteReader {
  readonly #bytes: Buffer
  at: number
  readonly end: number

  constructor(bytes: Uint8Array, from = 0, end = bytes.length) {
    this.#bytes = Buffer.isBuffer(bytes)
      ? bytes
      : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.at = from
    this.end = Math.min(end, bytes.length)
  }

  byte(): number {
    if (this.at >= this.end) throw new RangeError('the bytes end too early')
    return this.#bytes[this.at++]
  }

  number(): number {
    let value = 0
    let unit = 1
    for (;;) {
      const part = this.byte()
      value += (part & 127) * unit
      if (part < 128) return value
      unit *= 128
    }
  }

  word(): number {
    return this.#bytes.readUInt32LE(this.#advance(4))
  }

  float(): number {
    return this.#bytes.readDoubleLE(this.#advance(8))
  }

  /** The next `count` bytes, without a copy. */
  bytes(count: number): Uint8Array {
    const from = this.#advance(count)
    return this.#bytes.subarray(from, from + count)
  }

  text(): string {
    const count = this.number()
    const from = this.#advance(count)
    return this.#bytes.toString('utf8', from, from + count)
  }

  #advance(count: number): number {
    const from = this.at
    if (from + count > this.end) throw new RangeError('the bytes end too early')
    this.at = from + count
    return from
  }
}
