/**
 * The page in a memory of our own, with sentinels behind it, so that the scanner's loops need no test for the end: '<'
 * ends text, the quotes end values, '>' ends tags. Behind them is room for the page's text. The memory belongs to a
 * WebAssembly module (`assembly/text.ts`), which copies text inside it; it is used again for the next page.
 */
import { LIMITS } from '../model/limits.js'
import { loadWasm, type WasmMemory } from '../model/wasm.js'

const SENTINELS = Uint8Array.of(0x3c, 0x22, 0x27, 0x3e)
/** Bytes behind the sentinels, and behind the text, that a look ahead may touch. */
const SLACK = 64
const KEPT_BYTES = 4 * 1024 * 1024
const FIRST_BYTES = 2 * 1024 * 1024
const WASM_PAGE_BYTES = 64 * 1024

interface TextExports {
  readonly memory: WasmMemory
  copyRun(from: number, to: number, at: number, afterSpace: number): number
}

export class PageMemory {
  readonly bytes: Buffer
  /** See `assembly/text.ts`; all places are those of `bytes`. */
  readonly copyRun: TextExports['copyRun']

  constructor(byteCount: number) {
    const { memory, copyRun } = loadWasm<TextExports>('text')
    memory.grow(Math.ceil(byteCount / WASM_PAGE_BYTES))
    this.bytes = Buffer.from(memory.buffer)
    this.copyRun = copyRun
  }
}

let kept: PageMemory | undefined

/**
 * Copies `page` (from `start` on) to a memory that the next call overwrites; `wantText` makes room for text.
 */
export function withSentinels(page: Uint8Array, start: number, wantText: boolean): PageMemory {
  const length = page.length - start
  const textStart = textAreaStart(length)
  const needed = wantText ? textStart + LIMITS.textBytes + SLACK : textStart
  const memory = needed > KEPT_BYTES ? new PageMemory(needed) : reusable(needed)
  memory.bytes.set(start === 0 ? page : page.subarray(start))
  memory.bytes.set(SENTINELS, length)
  memory.bytes.fill(0, length + SENTINELS.length, textStart)
  return memory
}

/** Where the room for text begins behind a page of `length` bytes. */
export function textAreaStart(length: number): number {
  return length + SENTINELS.length + SLACK
}

function reusable(needed: number): PageMemory {
  if (kept === undefined || kept.bytes.length < needed)
    kept = new PageMemory(needed > FIRST_BYTES ? KEPT_BYTES : FIRST_BYTES)
  return kept
}
