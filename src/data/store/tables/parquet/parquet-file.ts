/** A Parquet file being written: row groups one after the other, the footer at the end. */

import type { Output } from '../../../../files/index.js'
import { ByteSink } from '../../bytes/index.js'
import { type ColumnChunk, type ColumnSpec, type GroupColumn, ParquetType } from './column.js'
import { appendThrift, int32, int64, list, struct, type ThriftValue, text } from './thrift.js'

export const PARQUET_MAGIC = Buffer.from('PAR1')
const SNAPPY = 1
const UTF8 = 0
const TIMESTAMP_MILLIS = 9

const TYPES = {
  text: ParquetType.bytes,
  blocks: ParquetType.bytes,
  dictionary: ParquetType.bytes,
  int32: ParquetType.int32,
  int64: ParquetType.int64,
  timestamp: ParquetType.int64,
  double: ParquetType.double,
  boolean: ParquetType.boolean,
} as const

export class ParquetFile {
  readonly columns: readonly GroupColumn[]
  readonly #file: Output
  readonly #rowGroups: ThriftValue[] = []
  #bytes = 0
  #rows = 0

  /** `file` is empty, and so are the columns. */
  constructor(file: Output, columns: readonly GroupColumn[]) {
    this.#file = file
    this.columns = columns
    this.#write(PARQUET_MAGIC)
  }

  get bufferedBytes(): number {
    let bytes = 0
    for (const column of this.columns) bytes += column.bufferedBytes
    return bytes
  }

  /** Writes what the columns hold as one row group. */
  endRowGroup(): void {
    const start = this.#bytes
    let rows = 0
    let uncompressed = 0
    const chunks: ThriftValue[] = []
    for (const column of this.columns) {
      const chunk = column.finish()
      const bytes = chunk.pages.length
      chunks.push(chunkMetadata(column.spec, chunk, this.#bytes))
      chunk.pages.moveTo(this.#file)
      this.#bytes += bytes
      rows = chunk.values
      uncompressed += chunk.uncompressedBytes
    }
    this.#rows += rows
    this.#rowGroups.push(
      struct(
        [1, list(chunks)],
        [2, int64(uncompressed)],
        [3, int64(rows)],
        [5, int64(start)],
        [6, int64(this.#bytes - start)],
      ),
    )
  }

  /** Writes the footer; returns rows and bytes of the whole file. */
  end(): { readonly rows: number; readonly bytes: number } {
    const specs = this.columns.map(column => column.spec)
    this.#write(footerOf(fileMetadata(specs, this.#rows, this.#rowGroups)))
    return { rows: this.#rows, bytes: this.#bytes }
  }

  #write(bytes: Uint8Array): void {
    this.#file.write(bytes)
    this.#bytes += bytes.length
  }
}

/** Metadata, its length, the closing magic. */
export function footerOf(metadata: ThriftValue): Buffer {
  const sink = new ByteSink(16 * 1024)
  appendThrift(sink, metadata)
  sink.uint32(sink.length)
  sink.append(PARQUET_MAGIC)
  return sink.view()
}

function fileMetadata(
  specs: readonly ColumnSpec[],
  rows: number,
  rowGroups: readonly ThriftValue[],
): ThriftValue {
  const root = struct([4, text('schema')], [5, int32(specs.length)])
  const typeDefinedOrder = struct([1, struct()])
  return struct(
    [1, int32(2)],
    [2, list([root, ...specs.map(schemaElement)])],
    [3, int64(rows)],
    [4, list(rowGroups)],
    [6, text('orbweaver')],
    [7, list(specs.map(() => typeDefinedOrder))],
  )
}

function schemaElement(spec: ColumnSpec): ThriftValue {
  const fields: [number, ThriftValue][] = [
    [1, int32(TYPES[spec.kind])],
    [3, int32(spec.required ? 0 : 1)],
    [4, text(spec.name)],
  ]
  if (TYPES[spec.kind] === ParquetType.bytes) {
    const stringType = struct([1, struct()])
    fields.push([6, int32(UTF8)], [10, stringType])
  }
  // Only the older annotation is written: readers take it as UTC, and DuckDB reads a TIMESTAMP, on which its
  // date functions work.
  if (spec.kind === 'timestamp') fields.push([6, int32(TIMESTAMP_MILLIS)])
  return struct(...fields)
}

function chunkMetadata(spec: ColumnSpec, chunk: ColumnChunk, offset: number): ThriftValue {
  const dataAt = offset + chunk.dictionaryBytes
  const metadata: [number, ThriftValue][] = [
    [1, int32(TYPES[spec.kind])],
    [2, list(chunk.encodings.map(int32))],
    [3, list([text(spec.name)])],
    [4, int32(SNAPPY)],
    [5, int64(chunk.values)],
    [6, int64(chunk.uncompressedBytes)],
    [7, int64(chunk.pages.length)],
    [9, int64(dataAt)],
  ]
  if (chunk.dictionaryBytes > 0) metadata.push([11, int64(offset)])
  metadata.push([12, chunk.statistics])
  return struct([2, int64(offset)], [3, struct(...metadata)])
}
