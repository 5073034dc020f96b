/** XXH64, whose lower half is the checksum of a zstd frame. The loop is WebAssembly (`assembly/xxh64.ts`). */
import { loadWasm, type WasmMemory, type WasmPlace } from './wasm.js'

interface Xxh64Exports {
  readonly memory: WasmMemory
  readonly INPUT: WasmPlace
  readonly INPUT_BYTES: WasmPlace
  begin(): void
  add(size: number): void
  end(size: number): number
}

let wasm: Xxh64Exports | undefined

/** The lower 32 bits of the hash. */
export function xxh64(bytes: Uint8Array): number {
  wasm ??= loadWasm<Xxh64Exports>('xxh64')
  const memory = new Uint8Array(wasm.memory.buffer)
  const pieceBytes = wasm.INPUT_BYTES.value
  wasm.begin()
  let size = 0
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    const piece = bytes.subarray(at, at + pieceBytes)
    memory.set(piece, wasm.INPUT.value)
    size = piece.length
    wasm.add(size)
  }
  return wasm.end(size) >>> 0
}
