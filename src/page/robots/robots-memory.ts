/**
 * A robots.txt in the memory of a WebAssembly module (`assembly/robots.ts`), for what is done to every byte
 * of it. One for all of them, as large as the largest was.
 */
import { loadWasm, type WasmMemory, type WasmPlace } from '../../model/bytes/index.js'
import { isKept } from './path-form.js'

interface RobotsExports {
  readonly memory: WasmMemory
  readonly PLAIN: WasmPlace
  readonly HELD: WasmPlace
  readonly HELD_BITS: WasmPlace
  readonly LINES: WasmPlace
  readonly FILE: WasmPlace
  readonly next: WasmPlace
  readLines(from: number, size: number, isWhole: number): number
  mayMatch(starts: number, ends: number, count: number): number
}

/** Of a line: number and kind, where it begins, where it ends, where its value begins. */
export const LINE_FIELDS = 4
/** As `assembly/robots.ts` has them. */
export const LineKind = { other: 0, disallow: 1, allow: 2, agent: 3 } as const
const KIND_BITS = 2
const STAR = 0x2a
/** Words are compared eight bytes at a time, also at the very end. */
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

class RobotsMemory {
  readonly #wasm = loadWasm<RobotsExports>('robots')

  constructor() {
    const plain = new Uint8Array(this.#wasm.memory.buffer, this.#wasm.PLAIN.value, 256)
    for (let c = 0; c < 256; c++) plain[c] = isKept(c) && c !== STAR ? 1 : 0
  }

  /** All lines that say anything, some thousand at a time; the array is used again for the next. */
  lines(bytes: Uint8Array, isWhole: boolean, take: (lines: Int32Array) => void): void {
    const wasm = this.#wasm
    this.#put(bytes, 0)
    for (let from = 0; from < bytes.length; from = wasm.next.value) {
      const count = wasm.readLines(from, bytes.length, isWhole ? 1 : 0)
      take(new Int32Array(wasm.memory.buffer, wasm.LINES.value, count * LINE_FIELDS))
    }
  }

  /** Numbers of the patterns that may match a path which holds these letters; valid until the next call. */
  mayMatch(bytes: Uint8Array, from: Int32Array, to: Int32Array, held: Uint8Array): Int32Array {
    const wasm = this.#wasm
    this.#put(bytes, from.byteLength * 2)
    const { buffer } = wasm.memory
    new Uint8Array(buffer, wasm.HELD.value, held.length).set(held)
    const starts = (wasm.FILE.value + bytes.length + SLACK_BYTES) & ~3
    const ends = starts + from.byteLength
    new Int32Array(buffer, starts, from.length).set(from)
    new Int32Array(buffer, ends, to.length).set(to)
    return new Int32Array(buffer, starts, wasm.mayMatch(starts, ends, from.length))
  }

  get heldBits(): number {
    return this.#wasm.HELD_BITS.value
  }

  /**
   * The file, with so much room behind it. What follows it is blank, and ends no word that the file began.
   */
  #put(bytes: Uint8Array, behind: number): void {
    const { memory, FILE } = this.#wasm
    const needed = FILE.value + bytes.length + SLACK_BYTES + behind
    const missing = needed - memory.buffer.byteLength
    if (missing > 0) memory.grow(Math.ceil(missing / WASM_PAGE_BYTES))
    const room = new Uint8Array(memory.buffer, FILE.value, bytes.length + SLACK_BYTES)
    room.set(bytes)
    room.fill(0, bytes.length)
  }
}

let memory: RobotsMemory | undefined

export function robotsMemory(): RobotsMemory {
  memory ??= new RobotsMemory()
  return memory
}
