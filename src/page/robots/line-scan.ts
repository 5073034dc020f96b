/**
 * Splits a robots.txt into lines in a WebAssembly module (`assembly/robots.ts`), which needs no warm-up: most
 * files are read once. All files share one memory, as large as the largest file was.
 */
import { loadWasm, type WasmMemory, type WasmPlace } from '../../model/bytes/index.js'

interface RobotsExports {
  readonly memory: WasmMemory
  readonly LINES: WasmPlace
  readonly FILE: WasmPlace
  readonly next: WasmPlace
  readLines(from: number, size: number, isWhole: number): number
}

/** Numbers per line: its number and kind, its start, its end, the start of its value. */
export const LINE_FIELDS = 4
/** As in `assembly/robots.ts`. */
export const LineKind = { other: 0, disallow: 1, allow: 2, agent: 3 } as const
const KIND_BITS = 2
/** Words are compared eight bytes at a time, also at the end of the file. */
const SLACK_BYTES = 16
const WASM_PAGE_BYTES = 64 * 1024

export function lineKind(numberAndKind: number): number {
  return numberAndKind & ((1 << KIND_BITS) - 1)
}

export function lineNumber(numberAndKind: number): number {
  return numberAndKind >> KIND_BITS
}

export function numberAndKind(number: number, kind: number): number {
  return (number << KIND_BITS) | kind
}

let wasm: RobotsExports | undefined

/**
 * Passes all lines that are not blank to `take`, some thousand at a time; the next call overwrites the array.
 */
export function readLines(bytes: Uint8Array, isWhole: boolean, take: (lines: Int32Array) => void): void {
  wasm ??= loadWasm<RobotsExports>('robots')
  const missing = wasm.FILE.value + bytes.length + SLACK_BYTES - wasm.memory.buffer.byteLength
  if (missing > 0) wasm.memory.grow(Math.ceil(missing / WASM_PAGE_BYTES))
  const room = new Uint8Array(wasm.memory.buffer, wasm.FILE.value, bytes.length + SLACK_BYTES)
  room.set(bytes)
  // Zeros behind the file, so that no word of an earlier file seems to continue it.
  room.fill(0, bytes.length)
  for (let from = 0; from < bytes.length; from = wasm.next.value) {
    const count = wasm.readLines(from, bytes.length, isWhole ? 1 : 0)
    take(new Int32Array(wasm.memory.buffer, wasm.LINES.value, count * LINE_FIELDS))
  }
}
