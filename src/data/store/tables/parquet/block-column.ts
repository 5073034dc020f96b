/**
 * The column of texts. They arrive in blocks that are compressed already (`text-blocks.ts`), after the rows
 * to which they belong. A page consists of the levels of its rows, as a literal, and the pieces of some
 * blocks, which are copied without unpacking.
 */
import { LIMITS } from '../../../../model/index.js'
import { ByteSink } from '../../bytes/index.js'
import { appendSnappyLiteral, appendSnappySize, snappySize } from '../../compress/index.js'
import { readBlocks } from '../index.js'
import { BlockSink } from './block-sink.js'
import type { ColumnChunk, ColumnSpec, GroupColumn } from './column.js'
import { Levels } from './levels.js'
import { appendDataHeader, Encoding } from './page-header.js'
import { int64, struct } from './thrift.js'

const levels = new ByteSink()
const start = new ByteSink()
const header = new ByteSink(64)

export class BlockColumn implements GroupColumn {
  readonly spec: ColumnSpec
  readonly #pages = new BlockSink()
  /** Levels of the rows that are in no page yet. */
  readonly #levels = new Levels()
  /** The next page: its pieces, their uncompressed length and the number of texts. */
  readonly #pieces = new ByteSink()
  #valueBytes = 0
  #texts = 0
  /** Texts whose blocks have not come yet. */
  #awaited = 0
  #uncompressedBytes = 0
  #rows = 0
  #nulls = 0

  constructor(spec: ColumnSpec) {
    this.spec = spec
  }

  get bufferedBytes(): number {
    return this.#pages.length + this.#pieces.length
  }

  /** True when every row so far has its text: only then may a row group end. */
  get isComplete(): boolean {
    return this.#awaited === 0
  }

  addRow(hasText: boolean): void {
    this.#levels.add(hasText ? 1 : 0)
    this.#rows++
    if (hasText) this.#awaited++
    else this.#nulls++
  }

  addBlocks(bytes: Buffer): void {
    for (const { texts, snappy } of readBlocks(bytes)) {
      const { bytes: valueBytes, piecesAt } = snappySize(snappy)
      this.#pieces.append(snappy.subarray(piecesAt))
      this.#valueBytes += valueBytes
      this.#texts += texts
      this.#awaited -= texts
      if (this.#valueBytes >= LIMITS.parquetPageBytes) this.#endPage(this.#levels.rowsWith(this.#texts))
    }
  }

  finish(): ColumnChunk {
    if (this.#levels.rows > 0) this.#endPage(this.#levels.rows)
    const chunk: ColumnChunk = {
      pages: this.#pages,
      dictionaryBytes: 0,
      uncompressedBytes: this.#uncompressedBytes,
      values: this.#rows,
      encodings: [Encoding.plain, Encoding.runs],
      statistics: struct([3, int64(this.#nulls)]),
    }
    this.#uncompressedBytes = this.#rows = this.#nulls = 0
    return chunk
  }

  #endPage(rows: number): void {
    levels.clear()
    this.#levels.appendTo(levels, rows)
    const bytes = levels.length + this.#valueBytes
    start.clear()
    appendSnappySize(start, bytes)
    appendSnappyLiteral(start, levels.view())
    header.clear()
    const compressedBytes = start.length + this.#pieces.length
    appendDataHeader(header, { bytes, compressedBytes }, rows, Encoding.plain)
    for (const part of [header, start, this.#pieces]) this.#pages.append(part.view())
    this.#uncompressedBytes += header.length + bytes
    this.#levels.drop(rows)
    this.#pieces.clear()
    this.#valueBytes = this.#texts = 0
  }
}
