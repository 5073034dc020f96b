/**
 * Thrift's compact protocol, as far as the page headers and footers of our Parquet files use it: values to
 * bytes, and back. A footer can be read, changed in some numbers and written again.
 */
import type { ByteSink } from '../../bytes/index.js'

export type ThriftValue =
  /** `bits` is only a tag; values are exact up to 2^53. */
  | { readonly type: 'int'; readonly bits: 32 | 64; readonly value: number }
  | { readonly type: 'binary'; readonly value: Uint8Array }
  | { readonly type: 'list'; readonly element: number; readonly value: readonly ThriftValue[] }
  | { readonly type: 'struct'; readonly value: ThriftStruct }

/** Fields by id, in ascending order. */
export type ThriftStruct = ReadonlyMap<number, ThriftValue>

export const int32 = (value: number): ThriftValue => ({ type: 'int', bits: 32, value })
export const int64 = (value: number): ThriftValue => ({ type: 'int', bits: 64, value })
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

const BINARY = 8
const LIST = 9
const STRUCT = 12
const INT_TAGS = { 32: 5, 64: 6 } as const
/** Parquet nests about eight deep; more is not Parquet. */
const DEPTH_MAX = 32

function tagOf(value: ThriftValue): number {
  switch (value.type) {
    case 'int':
      return INT_TAGS[value.bits]
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
    case 'int':
      appendVarint(sink, zigzag(value.value))
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
    appendThrift(sink, value)
    last = id
  }
  sink.byte(0)
}

/** Reads one struct. Throws if the bytes are not Thrift, which means that the file is damaged. */
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
      fields.set(id, this.#value(head & 15, depth))
    }
  }

  #value(tag: number, depth: number): ThriftValue {
    switch (tag) {
      case INT_TAGS[32]:
        return int32(unzigzag(this.#varint()))
      case INT_TAGS[64]:
        return int64(unzigzag(this.#varint()))
      case BINARY:
        return binary(this.#slice(this.#varint()))
      case LIST:
        return this.#list(depth)
      case STRUCT:
        return { type: 'struct', value: this.struct(depth + 1) }
      default:
        throw new Error(`thrift type ${tag} does not occur in our files`)
    }
  }

  #list(depth: number): ThriftValue {
    const head = this.#byte()
    const count = head >> 4 === 15 ? this.#varint() : head >> 4
    const element = head & 15
    const value: ThriftValue[] = []
    for (let i = 0; i < count; i++) value.push(this.#value(element, depth + 1))
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
