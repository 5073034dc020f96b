/**
 * A column of a row group: takes values one by one, makes compressed pages. Memory is reused by the next row
 * group.
 */
import { LIMITS } from '../../../../model/index.js'
import { ByteSink } from '../../bytes/index.js'
import { appendSnappy } from '../../compress/index.js'
import { BlockSink } from './block-sink.js'
import { ByteDictionary } from './byte-dictionary.js'
import { appendHybrid, bitWidth } from './hybrid.js'
import { Levels } from './levels.js'
import { appendDataHeader, appendDictionaryHeader, Encoding, type PageSizes } from './page-header.js'
import { binary, int64, struct, type ThriftValue } from './thrift.js'

export const ParquetType = { boolean: 0, int32: 1, int64: 2, double: 5, bytes: 6 } as const

/** `blocks` are texts that are already compressed (`block-column.ts`). */
type ColumnKind = 'text' | 'blocks' | 'dictionary' | 'int32' | 'int64' | 'timestamp' | 'double' | 'boolean'

export interface ColumnSpec {
  readonly name: string
  readonly kind: ColumnKind
  /** Never NULL. */
  readonly required?: true
  /** Keeps minimum and maximum of texts; numbers always have them. */
  readonly ordered?: true
}

/** A finished column of a row group. */
export interface ColumnChunk {
  /** Its pages, in order; writing them empties it. */
  readonly pages: BlockSink
  /** Length of the dictionary page, which comes first; 0 without one. */
  readonly dictionaryBytes: number
  readonly uncompressedBytes: number
  readonly values: number
  readonly encodings: readonly number[]
  readonly statistics: ThriftValue
}

/** A column as the file writer sees it. */
export interface GroupColumn {
  readonly spec: ColumnSpec
  readonly bufferedBytes: number
  /** Ends the row group of this column and makes it ready for the next. */
  finish(): ColumnChunk
}

const BY_HAND_BYTES = 48

/** Buffers for one page; all columns share them, as pages are made one at a time. */
const content = new ByteSink()
const compressed = new ByteSink()
const header = new ByteSink(64)

export class Column implements GroupColumn {
  readonly spec: ColumnSpec
  readonly #values = new ByteSink()
  readonly #pages = new BlockSink()
  #uncompressedBytes = 0
  /** Levels of the current page. */
  readonly #levels = new Levels()
  #rows = 0
  #nulls = 0
  readonly #dictionary: ByteDictionary | undefined
  #min: Buffer | number | undefined
  #max: Buffer | number | undefined

  constructor(spec: ColumnSpec) {
    this.spec = spec
    if (spec.kind === 'dictionary') this.#dictionary = new ByteDictionary()
  }

  get bufferedBytes(): number {
    return this.#pages.length + this.#values.length + (this.#dictionary?.bytes ?? 0)
  }

  /** Adds bytes `start` to `end`; an empty range is NULL unless the column is required. */
  addBytes(bytes: Buffer, start: number, end: number): void {
    if (start === end && !this.spec.required) {
      this.addNull()
      return
    }
    this.#level(1)
    if (this.#dictionary) {
      this.#values.uint32(this.#dictionary.place(bytes, start, end))
      return
    }
    const size = end - start
    const values = this.#values.reserve(size + 4)
    const at = this.#values.length + 4
    values.writeUInt32LE(size, at - 4)
    // For a few bytes, a loop is faster than a call.
    if (size > BY_HAND_BYTES) bytes.copy(values, at, start, end)
    else for (let i = 0; i < size; i++) values[at + i] = bytes[start + i]
    this.#values.advance(size + 4)
    if (this.spec.ordered) this.#orderBytes(bytes, start, end)
    if (this.#values.length >= LIMITS.parquetPageBytes) this.#endPage()
  }

  addNumber(value: number): void {
    this.#level(1)
    this.#appendNumber(value)
    if (this.#values.length >= LIMITS.parquetPageBytes) this.#endPage()
  }

  #appendNumber(value: number): void {
    switch (this.spec.kind) {
      case 'double':
        this.#values.reserve(8).writeDoubleLE(value, this.#values.length)
        this.#values.advance(8)
        return
      case 'boolean':
        // A byte until the page ends.
        this.#values.byte(value)
        return
      case 'int32':
        this.#values.int32(value)
        break
      default:
        appendInt64(this.#values, value)
    }
    if (this.#min === undefined || value < (this.#min as number)) this.#min = value
    if (this.#max === undefined || value > (this.#max as number)) this.#max = value
  }

  addNull(): void {
    this.#level(0)
    this.#nulls++
  }

  #level(level: 0 | 1): void {
    this.#levels.add(level)
    this.#rows++
  }

  #orderBytes(bytes: Buffer, start: number, end: number): void {
    const { compare } = Buffer
    const value = bytes.subarray(start, end)
    if (this.#min === undefined || compare(value, this.#min as Buffer) < 0) this.#min = Buffer.from(value)
    if (this.#max === undefined || compare(value, this.#max as Buffer) > 0) this.#max = Buffer.from(value)
  }

  #endPage(): void {
    const { rows } = this.#levels
    content.clear()
    if (!this.spec.required) this.#levels.appendTo(content, rows)
    if (this.#dictionary) this.#appendPlaces(this.#dictionary)
    else if (this.spec.kind === 'boolean') appendBits(content, this.#values.view())
    else content.append(this.#values.view())
    const encoding = this.#dictionary ? Encoding.dictionary : Encoding.plain
    this.#addPage(content.view(), sizes => appendDataHeader(header, sizes, rows, encoding))
    this.#values.clear()
    this.#levels.drop(rows)
  }

  #appendPlaces(dictionary: ByteDictionary): void {
    const width = bitWidth(Math.max(0, dictionary.size - 1))
    const values = this.#values.view()
    const places = new Uint32Array(values.buffer, values.byteOffset, values.length / 4)
    content.byte(width)
    appendHybrid(content, places, places.length, width)
  }

  #addPage(values: Buffer, appendHeader: (sizes: PageSizes) => void): void {
    compressed.clear()
    appendSnappy(compressed, values)
    header.clear()
    appendHeader({ bytes: values.length, compressedBytes: compressed.length })
    this.#pages.append(header.view())
    this.#pages.append(compressed.view())
    this.#uncompressedBytes += header.length + values.length
  }

  finish(): ColumnChunk {
    let dictionaryBytes = 0
    if (this.#dictionary) {
      // One data page after its dictionary.
      const { size } = this.#dictionary
      this.#addPage(this.#dictionary.entries(), sizes => appendDictionaryHeader(header, sizes, size))
      dictionaryBytes = this.#pages.length
    }
    if (this.#levels.rows > 0) this.#endPage()
    const chunk: ColumnChunk = {
      pages: this.#pages,
      dictionaryBytes,
      uncompressedBytes: this.#uncompressedBytes,
      values: this.#rows,
      encodings: [Encoding.plain, Encoding.runs, ...(this.#dictionary ? [Encoding.dictionary] : [])],
      statistics: this.#statistics(),
    }
    this.#dictionary?.clear()
    this.#uncompressedBytes = this.#rows = this.#nulls = 0
    this.#min = this.#max = undefined
    return chunk
  }

  #statistics(): ThriftValue {
    const fields: [number, ThriftValue][] = [[3, int64(this.#nulls)]]
    if (this.#min !== undefined && this.#max !== undefined)
      fields.push([5, binary(this.#encode(this.#max))], [6, binary(this.#encode(this.#min))])
    return struct(...fields)
  }

  #encode(value: Buffer | number): Buffer {
    if (typeof value !== 'number') return value
    const sink = new ByteSink(8)
    if (this.spec.kind === 'int32') sink.int32(value)
    else appendInt64(sink, value)
    return sink.view()
  }
}

/** Eight values a byte, the first in its lowest bit. */
function appendBits(sink: ByteSink, values: Buffer): void {
  for (let at = 0; at < values.length; at += 8) {
    let byte = 0
    for (let bit = 0; bit < 8 && at + bit < values.length; bit++) byte |= values[at + bit] << bit
    sink.byte(byte)
  }
}

const TWO_32 = 2 ** 32

function appendInt64(sink: ByteSink, value: number): void {
  const high = Math.floor(value / TWO_32)
  sink.uint32(value - high * TWO_32)
  sink.int32(high)
}
