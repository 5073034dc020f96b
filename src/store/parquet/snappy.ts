/**
 * Snappy compression (the raw block format), the one codec every Parquet reader has. The loop is WebAssembly
 * (`assembly/snappy.ts`).
 */

import { loadWasm, type WasmMemory, type WasmPlace } from '../../model/wasm.js'
import type { ByteSink } from '../byte-sink.js'

interface SnappyExports {
  readonly memory: WasmMemory
  readonly INPUT: WasmPlace
  readonly INPUT_BYTES: WasmPlace
  readonly OUTPUT: WasmPlace
  compress(size: number): number
}

let wasm: SnappyExports | undefined

/** What is longer than any Parquet page of ours is stored as literals. */
export function appendSnappy(sink: ByteSink, input: Buffer): void {
  wasm ??= loadWasm<SnappyExports>('snappy')
  if (input.length > wasm.INPUT_BYTES.value) {
    appendLiterals(sink, input)
    return
  }
  const memory = new Uint8Array(wasm.memory.buffer)
  memory.set(input, wasm.INPUT.value)
  const size = wasm.compress(input.length)
  sink.append(memory.subarray(wasm.OUTPUT.value, wasm.OUTPUT.value + size))
}

const LITERAL_BYTES = 65_536

function appendLiterals(sink: ByteSink, input: Buffer): void {
  let left = input.length
  for (; left >= 128; left >>>= 7) sink.byte((left & 127) | 128)
  sink.byte(left)
  for (let start = 0; start < input.length; start += LITERAL_BYTES) {
    const piece = input.subarray(start, start + LITERAL_BYTES)
    sink.byte(61 << 2)
    sink.byte((piece.length - 1) & 255)
    sink.byte((piece.length - 1) >>> 8)
    sink.append(piece)
  }
}
