/**
 * The texts of a pack, which are most of the bytes of its page rows. Many texts are compressed together
 * before they are written, because a text alone compresses half as well. They are not unpacked for the table:
 * a block holds values in Parquet's plain encoding (uint32 length, bytes), and its parts are copied into a
 * Parquet page unchanged.
 *
 * A block: uint32 size of all of it, uint32 number of texts, then the values as a Snappy block.
 */
import { isUtf8 } from 'node:buffer'
import { LIMITS } from '../../../model/index.js'
import { ByteSink } from '../bytes/index.js'
import { appendSnappy, snappyContent } from '../compress/index.js'

const HEAD_BYTES = 8

export class TextBlocks {
  readonly #blocks = new ByteSink()
  /** Texts of the next block. */
  readonly #values = new ByteSink()
  #texts = 0

  /** Bytes of the blocks and of the texts not compressed yet. */
  get bytes(): number {
    return this.#blocks.length + this.#values.length
  }

  /** Adds a text that `validText` returned. An empty text is not stored: the row has its length. */
  add(text: Uint8Array): void {
    if (text.length === 0) return
    this.#values.uint32(text.length)
    this.#values.append(text)
    this.#texts++
    if (this.#values.length >= LIMITS.textBlockBytes) this.#endBlock()
  }

  /** All blocks; valid until the next `add`. */
  view(): Buffer {
    if (this.#texts > 0) this.#endBlock()
    return this.#blocks.view()
  }

  clear(): void {
    this.#blocks.clear()
    this.#values.clear()
    this.#texts = 0
  }

  #endBlock(): void {
    const start = this.#blocks.length
    this.#blocks.uint32(0)
    this.#blocks.uint32(this.#texts)
    appendSnappy(this.#blocks, this.#values.view())
    this.#blocks.view().writeUInt32LE(this.#blocks.length - start, start)
    this.#values.clear()
    this.#texts = 0
  }
}

/** The text as valid UTF-8: readers refuse a file for one bad byte, such as a character cut in half. */
export function validText(text: Uint8Array): Uint8Array {
  return isUtf8(text) ? text : Buffer.from(Buffer.from(text).toString('utf8'))
}

export interface TextBlock {
  readonly texts: number
  /** The values, compressed. */
  readonly snappy: Buffer
}

export function* readBlocks(bytes: Buffer): Generator<TextBlock> {
  for (let at = 0; at < bytes.length; at += bytes.readUInt32LE(at))
    yield {
      texts: bytes.readUInt32LE(at + 4),
      snappy: bytes.subarray(at + HEAD_BYTES, at + bytes.readUInt32LE(at)),
    }
}

/** Every text, in the order of the rows that have one. */
export function* readTexts(blocks: Buffer): Generator<Buffer> {
  for (const { snappy } of readBlocks(blocks)) yield* textsIn(snappyContent(snappy))
}

/** The texts in the first `most` unpacked bytes of a block; the last may be cut. */
export function firstTexts({ snappy }: TextBlock, most: number): Generator<Buffer> {
  return textsIn(snappyContent(snappy, most))
}

function* textsIn(values: Buffer): Generator<Buffer> {
  for (let at = 0; at + 4 <= values.length; at += 4 + values.readUInt32LE(at))
    yield values.subarray(at + 4, at + 4 + values.readUInt32LE(at))
}
