/**
 * Concatenates Parquet files of one table without decoding them: column chunks are copied, and a new footer
 * says where they are.
 */

import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { crc32 as crc32of } from 'node:zlib'
import { type Crc32, OPEN, type Output, writeDurably } from '../../../../files/index.js'
import { CONCAT_COPY_BYTES, FOOTER_BYTES_MAX } from '../../../limits.js'
import { ByteSink } from '../../bytes/index.js'
import { DamagedFileError } from '../index.js'
import type { WrittenParquet } from './convert.js'
import { footerOf, PARQUET_MAGIC } from './parquet-file.js'
import { appendThrift, int64, list, ThriftReader, type ThriftStruct, type ThriftValue } from './thrift.js'

/** Field numbers of Parquet's FileMetaData, RowGroup, ColumnChunk and ColumnMetaData. */
const FILE = { schema: 2, rows: 3, rowGroups: 4 } as const
const GROUP = { columns: 1, offset: 5 } as const
const CHUNK = { offset: 2, metadata: 3 } as const
const COLUMN = { dataPageAt: 9, dictionaryPageAt: 11 } as const

export interface ParquetInput {
  readonly path: string
  /** Compared if present, so that damage is not copied into a file with a valid digest. */
  readonly crc32?: Crc32 | null
}

/** Writes the rows of `inputs`, in that order, atomically. Throws `DamagedFileError`. */
export function concatParquet(inputs: readonly ParquetInput[], outPath: string): WrittenParquet {
  if (inputs.length === 0) throw new Error('nothing to concatenate')
  const { result, crc32 } = writeDurably(outPath, out => {
    out.write(PARQUET_MAGIC)
    let bytes = PARQUET_MAGIC.length
    let rows = 0
    const rowGroups: ThriftValue[] = []
    let first: ThriftStruct | undefined
    const buffer = Buffer.allocUnsafeSlow(CONCAT_COPY_BYTES)
    for (const { path, crc32: expected } of inputs) {
      const file = openSync(path, OPEN.read)
      try {
        const { metadata, dataEnd, footer } = readFooter(file, path)
        first ??= metadata
        if (!schemaBytes(first).equals(schemaBytes(metadata)))
          throw new Error(`${path} has other columns than ${inputs[0].path}`)
        const shift = bytes - PARQUET_MAGIC.length
        for (const group of listOf(metadata, FILE.rowGroups)) rowGroups.push(shiftGroup(group, shift))
        rows += numberOf(metadata, FILE.rows)
        const head = crc32of(readRange(file, 0, PARQUET_MAGIC.length))
        const data = copyRange(file, PARQUET_MAGIC.length, dataEnd, out, buffer, head)
        if (typeof expected === 'number' && crc32of(footer, data) !== expected)
          throw new DamagedFileError(path, 0, 'the checksum differs')
        bytes += dataEnd - PARQUET_MAGIC.length
      } finally {
        closeSync(file)
      }
    }
    const merged = new Map(first)
    merged.set(FILE.rows, int64(rows))
    merged.set(FILE.rowGroups, list(rowGroups))
    const footer = footerOf({ type: 'struct', value: merged })
    out.write(footer)
    return { rows, bytes: bytes + footer.length }
  })
  return { ...result, crc32 }
}

/** Places in `paths` of files that have the same columns. Throws like `concatParquet`. */
export function groupBySchema(paths: readonly string[]): number[][] {
  const groups = new Map<string, number[]>()
  for (const [i, path] of paths.entries()) {
    const file = openSync(path, OPEN.read)
    try {
      const key = schemaBytes(readFooter(file, path).metadata).toString('latin1')
      groups.set(key, [...(groups.get(key) ?? []), i])
    } finally {
      closeSync(file)
    }
  }
  return [...groups.values()]
}

/** Rows of a Parquet file, by its footer. */
export function parquetRows(path: string): number {
  const file = openSync(path, OPEN.read)
  try {
    return numberOf(readFooter(file, path).metadata, FILE.rows)
  } finally {
    closeSync(file)
  }
}

interface Footer {
  readonly metadata: ThriftStruct
  readonly dataEnd: number
  /** Everything after the data. */
  readonly footer: Buffer
}

function readFooter(file: number, path: string): Footer {
  const { size } = fstatSync(file)
  const tail = readRange(file, Math.max(0, size - 8), 8)
  if (size < 12 || !tail.subarray(4).equals(PARQUET_MAGIC))
    throw new DamagedFileError(path, size, 'not Parquet')
  const length = tail.readUInt32LE(0)
  const dataEnd = size - 8 - length
  if (length > FOOTER_BYTES_MAX || dataEnd < PARQUET_MAGIC.length)
    throw new DamagedFileError(path, size, 'the footer has an impossible length')
  const footer = readRange(file, dataEnd, length + 8)
  try {
    return { metadata: new ThriftReader(footer.subarray(0, length)).struct(), dataEnd, footer }
  } catch {
    throw new DamagedFileError(path, dataEnd, 'the footer cannot be read')
  }
}

function readRange(file: number, at: number, length: number): Buffer {
  const bytes = Buffer.alloc(length)
  for (let done = 0; done < length; ) {
    const count = readSync(file, bytes, done, length - done, at + done)
    if (count === 0) return bytes.subarray(0, done)
    done += count
  }
  return bytes
}

/** Returns the checksum, continued from `before`. */
function copyRange(
  file: number,
  from: number,
  to: number,
  out: Output,
  buffer: Buffer,
  before: Crc32,
): Crc32 {
  let sum = before
  for (let at = from; at < to; ) {
    const count = readSync(file, buffer, 0, Math.min(buffer.length, to - at), at)
    if (count === 0) throw new Error('a Parquet file became shorter while it was read')
    out.write(buffer.subarray(0, count))
    sum = crc32of(buffer.subarray(0, count), sum)
    at += count
  }
  return sum
}

function shiftGroup(group: ThriftValue, shift: number): ThriftValue {
  if (group.type !== 'struct') throw new Error('a row group in the footer is not a struct')
  const fields = new Map(group.value)
  shiftField(fields, GROUP.offset, shift)
  fields.set(GROUP.columns, list(listOf(group.value, GROUP.columns).map(chunk => shiftChunk(chunk, shift))))
  return { type: 'struct', value: fields }
}

function shiftChunk(chunk: ThriftValue, shift: number): ThriftValue {
  const metadata = chunk.type === 'struct' ? chunk.value.get(CHUNK.metadata) : undefined
  if (chunk.type !== 'struct' || metadata?.type !== 'struct')
    throw new Error('a column chunk in the footer has no metadata')
  const places = new Map(metadata.value)
  for (const field of Object.values(COLUMN)) shiftField(places, field, shift)
  const fields = new Map(chunk.value)
  shiftField(fields, CHUNK.offset, shift)
  return { type: 'struct', value: fields.set(CHUNK.metadata, { type: 'struct', value: places }) }
}

/** Setting an existing key of a Map keeps the order of the fields. */
function shiftField(fields: Map<number, ThriftValue>, id: number, shift: number): void {
  const value = fields.get(id)
  if (value?.type === 'int') fields.set(id, { ...value, value: value.value + shift })
}

function listOf(fields: ThriftStruct, id: number): readonly ThriftValue[] {
  const value = fields.get(id)
  return value?.type === 'list' ? value.value : []
}

function numberOf(fields: ThriftStruct, id: number): number {
  const value = fields.get(id)
  return value?.type === 'int' ? value.value : 0
}

function schemaBytes(metadata: ThriftStruct): Buffer {
  const sink = new ByteSink()
  appendThrift(sink, list(listOf(metadata, FILE.schema)))
  return sink.view()
}
