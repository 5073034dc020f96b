/**
 * Snappy (the raw block format), the one codec every Parquet reader has. A block is the size of what it
 * holds, then literals and copies that reach back within it: so the pieces of several blocks, one behind the
 * other, are again the pieces of a block. The loop that finds the copies is WebAssembly
 * (`assembly/snappy.ts`).
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

/** What is longer than any page or text of ours is stored as literals. */
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

/** What a block of `size` bytes begins with. */
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

/** How many bytes a block holds, and where its pieces begin. */
export function snappySize(block: Buffer): { readonly bytes: number; readonly piecesAt: number } {
  let bytes = 0
  for (let at = 0; ; at++) {
    bytes += (block[at] & 127) * 2 ** (7 * at)
    if (block[at] < 128) return { bytes, piecesAt: at + 1 }
  }
}

/** What a block of our own holds, or its first `most` bytes; its checksum has been compared. */
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
    // One by one: a copy may reach into what it writes.
    for (const end = done + size; done < end; done++) content[done] = content[done - offset]
  }
  return content
}
