/**
 * Snappy (the raw block format), the one codec every Parquet reader has. A block is its uncompressed size and
 * then pieces: literals, and copies of earlier bytes of the same block. So the pieces of several blocks can
 * be concatenated into one block. The loop that finds the copies is WebAssembly (`assembly/snappy.ts`).
 */
import { loadWasm, type WasmMemory, type WasmPlace } from '../../../model/bytes/index.js'
import type { ByteSink } from '../bytes/index.js'

interface SnappyExports {
  readonly memory: WasmMemory
  readonly INPUT: WasmPlace
  readonly INPUT_BYTES: WasmPlace
  readonly OUTPUT: WasmPlace
  compress(size: number): number
}

let wasm: SnappyExports | undefined

/** Input that exceeds the buffer of the compressor is stored as literals. */
export function appendSnappy(sink: ByteSink, input: Buffer): void {
  appendSnappySize(sink, input.length)
  wasm ??= loadWasm<SnappyExports>('snappy')
  if (input.length > wasm.INPUT_BYTES.value) {
    appendSnappyLiteral(sink, input)
    return
  }
  const memory = new Uint8Array(wasm.memory.buffer)
  memory.set(input, wasm.INPUT.value)
  const size = wasm.compress(input.length)
  sink.append(memory.subarray(wasm.OUTPUT.value, wasm.OUTPUT.value + size))
}

/** Appends the head of a block of `size` bytes. */
export function appendSnappySize(sink: ByteSink, size: number): void {
  let left = size
  for (; left >= 128; left >>>= 7) sink.byte((left & 127) | 128)
  sink.byte(left)
}

const LITERAL_BYTES = 65_536

export function appendSnappyLiteral(sink: ByteSink, input: Buffer): void {
  for (let start = 0; start < input.length; start += LITERAL_BYTES) {
    const piece = input.subarray(start, start + LITERAL_BYTES)
    sink.byte(61 << 2)
    sink.byte((piece.length - 1) & 255)
    sink.byte((piece.length - 1) >>> 8)
    sink.append(piece)
  }
}

/** The uncompressed length of a block, and the offset of its pieces. */
export function snappySize(block: Buffer): { readonly bytes: number; readonly piecesAt: number } {
  let bytes = 0
  for (let at = 0; ; at++) {
    bytes += (block[at] & 127) * 2 ** (7 * at)
    if (block[at] < 128) return { bytes, piecesAt: at + 1 }
  }
}

/** The content of a block, or its first `most` bytes. The caller has compared its checksum. */
export function snappyContent(block: Buffer, most = Number.POSITIVE_INFINITY): Buffer {
  const { bytes, piecesAt } = snappySize(block)
  const content = Buffer.allocUnsafe(Math.min(bytes, most))
  let done = 0
  for (let at = piecesAt; at < block.length && done < content.length; ) {
    const tag = block[at++]
    const kind = tag & 3
    if (kind === 0) {
      const extra = Math.max(0, (tag >> 2) - 59)
      const size = (extra === 0 ? tag >> 2 : block.readUIntLE(at, extra)) + 1
      at += extra
      done += block.copy(content, done, at, at + size)
      at += size
      continue
    }
    const size = kind === 1 ? ((tag >> 2) & 7) + 4 : (tag >> 2) + 1
    const offset = kind === 1 ? ((tag >> 5) << 8) | block[at] : block.readUInt16LE(at)
    at += kind
    // Byte by byte: the source of a copy may overlap its target.
    for (const end = done + size; done < end; done++) content[done] = content[done - offset]
  }
  return content
}
