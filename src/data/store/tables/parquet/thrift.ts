/**
 * Thrift's compact protocol, as far as Parquet's page headers and footers need it: values in, bytes out, and
 * back. A footer that was read can be written again with some numbers changed and everything else as it was.
 */
import type { ByteSink } from '../../bytes/index.js'

export type ThriftValue =
  | { readonly type: 'bool'; readonly value: boolean }
  /** All integers; `bits` only says how it is tagged. Exact up to 2^53. */
  | { readonly type: 'int'; readonly bits: 8 | 16 | 32 | 64; readonly value: number }
  | { readonly type: 'double'; readonly value: number }
  | { readonly type: 'binary'; readonly value: Uint8Array }
  | { readonly type: 'list'; readonly element: number; readonly value: readonly ThriftValue[] }
  | { readonly type: 'struct'; readonly value: ThriftStruct }

/** Fields by id, in ascending order. */
export type ThriftStruct = ReadonlyMap<number, ThriftValue>

export const int32 = (value: number): ThriftValue => ({ type: 'int', bits: 32, value })
export const int64 = (value: number): ThriftValue => ({ type: 'int', bits: 64, value })
const int16 = (value: number): ThriftValue => ({ type: 'int', bits: 16, value })
const bool = (value: boolean): ThriftValue => ({ type: 'bool', value })
export const binary = (value: Uint8Array): ThriftValue => ({ type: 'binary', value })
export const text = (value: string): ThriftValue => ({ type: 'binary', value: Buffer.from(value) })
export const list = (value: readonly ThriftValue[]): ThriftValue => ({
  type: 'list',
  element: value.length === 0 ? STRUCT : tagOf(value[0]),
  value,
})
export const struct = (...fields: readonly (readonly [number, ThriftValue])[]): ThriftValue => ({
  type: 'struct',
  value: new Map(fields),
})

const TRUE = 1
const FALSE = 2
const DOUBLE = 7
const BINARY = 8
const LIST = 9
const STRUCT = 12
const INT_TAGS = { 8: 3, 16: 4, 32: 5, 64: 6 } as const
/** Parquet nests about eight deep; more is not Parquet. */
const DEPTH_MAX = 32

function tagOf(value: ThriftValue): number {
  switch (value.type) {
    case 'bool':
      return value.value ? TRUE : FALSE
    case 'int':
      return INT_TAGS[value.bits]
    case 'double':
      return DOUBLE
    case 'binary':
      return BINARY
    case 'list':
      return LIST
    case 'struct':
      return STRUCT
  }
}

export function appendVarint(sink: ByteSink, value: number): void {
  let left = value
  while (left >= 128) {
    sink.byte((left % 128) | 128)
    left = Math.floor(left / 128)
  }
  sink.byte(left)
}

const zigzag = (value: number) => (value < 0 ? -2 * value - 1 : 2 * value)
const unzigzag = (value: number) => (value % 2 === 1 ? -(value + 1) / 2 : value / 2)

export function appendThrift(sink: ByteSink, value: ThriftValue): void {
  switch (value.type) {
    case 'bool':
      sink.byte(tagOf(value))
      break
    case 'int':
      if (value.bits === 8) sink.byte(value.value & 255)
      else appendVarint(sink, zigzag(value.value))
      break
    case 'double':
      sink.double(value.value)
      break
    case 'binary':
      appendVarint(sink, value.value.length)
      sink.append(value.value)
      break
    case 'list':
      appendListHead(sink, value.value.length, value.element)
      for (const element of value.value) appendThrift(sink, element)
      break
    case 'struct':
      appendStruct(sink, value.value)
      break
  }
}

function appendListHead(sink: ByteSink, count: number, element: number): void {
  sink.byte((Math.min(count, 15) << 4) | element)
  if (count >= 15) appendVarint(sink, count)
}

function appendStruct(sink: ByteSink, fields: ThriftStruct): void {
  let last = 0
  for (const [id, value] of fields) {
    const step = id - last
    if (step > 0 && step < 16) sink.byte((step << 4) | tagOf(value))
    else {
      sink.byte(tagOf(value))
      appendVarint(sink, zigzag(id))
    }
    if (value.type !== 'bool') appendThrift(sink, value)
    last = id
  }
  sink.byte(0)
}

/** Reads one struct. Throws on what is no thrift: the bytes are a file of ours, or damage. */
export class ThriftReader {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  struct(depth = 0): ThriftStruct {
    if (depth > DEPTH_MAX) throw new Error('thrift nests too deep')
    const fields = new Map<number, ThriftValue>()
    for (let id = 0; ; ) {
      const head = this.#byte()
      if (head === 0) return fields
      id = head >> 4 === 0 ? unzigzag(this.#varint()) : id + (head >> 4)
      fields.set(id, this.#value(head & 15, depth, true))
    }
  }

  #value(tag: number, depth: number, isField: boolean): ThriftValue {
    switch (tag) {
      case TRUE:
      case FALSE:
        return bool((isField ? tag : this.#byte()) === TRUE)
      case INT_TAGS[8]:
        return { type: 'int', bits: 8, value: (this.#byte() << 24) >> 24 }
      case INT_TAGS[16]:
        return int16(unzigzag(this.#varint()))
      case INT_TAGS[32]:
        return int32(unzigzag(this.#varint()))
      case INT_TAGS[64]:
        return int64(unzigzag(this.#varint()))
      case DOUBLE:
        this.#at += 8
        return { type: 'double', value: this.#bytes.readDoubleLE(this.#at - 8) }
      case BINARY:
        return binary(this.#slice(this.#varint()))
      case LIST:
        return this.#list(depth)
      case STRUCT:
        return { type: 'struct', value: this.struct(depth + 1) }
      default:
        throw new Error(`thrift type ${tag} does not occur in Parquet`)
    }
  }

  #list(depth: number): ThriftValue {
    const head = this.#byte()
    const count = head >> 4 === 15 ? this.#varint() : head >> 4
    const element = head & 15
    const value: ThriftValue[] = []
    for (let i = 0; i < count; i++) value.push(this.#value(element, depth + 1, false))
    return { type: 'list', element, value }
  }

  #byte(): number {
    if (this.#at >= this.#bytes.length) throw new Error('thrift ends early')
    return this.#bytes[this.#at++]
  }

  #varint(): number {
    let value = 0
    for (let scale = 1; ; scale *= 128) {
      const byte = this.#byte()
      value += (byte & 127) * scale
      if (byte < 128) return value
      if (scale > 2 ** 56) throw new Error('thrift number too long')
    }
  }

  #slice(length: number): Buffer {
    if (this.#at + length > this.#bytes.length) throw new Error('thrift ends early')
    this.#at += length
    return this.#bytes.subarray(this.#at - length, this.#at)
  }
}
