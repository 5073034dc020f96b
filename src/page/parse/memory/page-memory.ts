/**
 * Holds the page in the memory of a WebAssembly module (`assembly/page.ts`), which the next page reuses.
 * Sentinels behind the page let the scanner's loops run without a test for the end: '<' ends text, the quotes
 * end values, '>' ends tags. Behind the sentinels is room for the page's text.
 */

import { loadWasm, type WasmPlace } from '../../../model/bytes/index.js'
import { LIMITS } from '../../../model/index.js'
import { PAGE_MEMORY_KEPT_BYTES } from '../../limits.js'
import { TAG_CODES } from '../tags/index.js'
import { type LinkExports, PlainLinks } from './plain-links.js'

const SENTINELS = Uint8Array.of(0x3c, 0x22, 0x27, 0x3e)
/** Bytes behind the sentinels, and behind the text, that a lookahead may read. */
const SLACK = 64
const FIRST_BYTES = 2 * 1024 * 1024
const WASM_PAGE_BYTES = 64 * 1024

interface PageExports extends LinkExports {
  readonly SIEVE: WasmPlace
  readonly CLASSES: WasmPlace
  readonly FOUND: WasmPlace
  readonly FOUND_ROOM: WasmPlace
  readonly NAME_CODES: WasmPlace
  readonly TEXT_TAGS: WasmPlace
  readonly TEXT_TAG_BITS: WasmPlace
  readonly RANGES: WasmPlace
  readonly RANGE_ROOM: WasmPlace
  readonly PAGE: WasmPlace
  nextBracket(from: number): number
  nextOfInterest(from: number, length: number): number
  nextForText(from: number, length: number, state: number, watched: number, depth: number): number
  copyRun(from: number, to: number, at: number, afterSpace: number): number
}

/** Indexes into `results` after `nextForText`. */
export const Found = { anchors: 0, ranges: 1, textStart: 2, state: 3, depth: 4 } as const
const RESULT_COUNT = 5
/** Numbers per piece of text in `ranges`. */
const RANGE_NUMBERS = 3

/** `inPath`, `inQuery`: the byte needs no escape there. */
const ByteClass = { letter: 1, nameStop: 2, decisive: 4, nameLetter: 8, inPath: 16, inQuery: 32 } as const

/** Tables by which the module classifies tags. */
export interface TagTables {
  readonly sieve: Int32Array
  readonly textTags: BigUint64Array
}

export class PageMemory {
  readonly bytes: Buffer
  /** See `assembly/page.ts`; all positions are positions in `bytes`. */
  readonly wasm: PageExports
  /** After `nextOfInterest` the number of anchors found; after `nextForText` see `Found`. */
  readonly results: Int32Array
  /** Start and end of the href of each simple anchor that was passed. */
  readonly found: Int32Array
  /** Start, end and marks of each piece of text that `nextForText` passed. */
  readonly ranges: Int32Array
  readonly links: PlainLinks
  readonly #sieve: Int32Array
  readonly #textTags: BigUint64Array
  #filledWith: TagTables | undefined

  constructor(byteCount: number) {
    const wasm = loadWasm<PageExports>('page')
    wasm.memory.grow(Math.ceil(byteCount / WASM_PAGE_BYTES))
    const { buffer } = wasm.memory
    this.bytes = Buffer.from(buffer, wasm.PAGE.value, byteCount)
    this.#sieve = new Int32Array(buffer, wasm.SIEVE.value, 256)
    new Uint8Array(buffer, wasm.CLASSES.value, 256).set(byteClasses())
    new Uint8Array(buffer, wasm.NAME_CODES.value, 256).set(TAG_CODES)
    this.#textTags = new BigUint64Array(buffer, wasm.TEXT_TAGS.value, 2 << wasm.TEXT_TAG_BITS.value)
    this.results = new Int32Array(buffer, wasm.RESULTS.value, RESULT_COUNT)
    this.ranges = new Int32Array(buffer, wasm.RANGES.value, RANGE_NUMBERS * wasm.RANGE_ROOM.value)
    this.found = new Int32Array(buffer, wasm.FOUND.value, 2 * wasm.FOUND_ROOM.value)
    this.wasm = wasm
    this.links = new PlainLinks(wasm)
  }

  /** Sets the tags at which `nextOfInterest` and `nextForText` stop. */
  attach(tables: TagTables): void {
    if (this.#filledWith === tables) return
    this.#filledWith = tables
    this.#sieve.set(tables.sieve)
    this.#textTags.set(tables.textTags)
  }
}

function byteClasses(): Uint8Array {
  const mark = (characters: string, byteClass: number): void => {
    for (const c of characters) classes[c.charCodeAt(0)]! |= byteClass
  }
  const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'
  const classes = Uint8Array.from(TAG_CODES, code => (code === 0 ? ByteClass.nameStop : 0))
  mark(letters, ByteClass.letter | ByteClass.nameLetter)
  mark('0123456789-_', ByteClass.nameLetter)
  // '&' and '%' are in neither: they may begin a character reference or an escape.
  mark(`${letters}0123456789-_~!$()*+,;=@/.`, ByteClass.inPath | ByteClass.inQuery)
  mark("'", ByteClass.inPath)
  mark(':?', ByteClass.inQuery)
  mark('=>"\'', ByteClass.decisive)
  return classes
}

let kept: PageMemory | undefined

/**
 * Copies `page` from `start` on to a memory that the next call overwrites. `wantText` reserves room for text.
 */
export function withSentinels(page: Uint8Array, start: number, wantText: boolean): PageMemory {
  const length = page.length - start
  const textStart = textAreaStart(length)
  const needed = wantText ? textStart + LIMITS.textBytes + SLACK : textStart
  const memory = needed > PAGE_MEMORY_KEPT_BYTES ? new PageMemory(needed) : reusable(needed)
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
    kept = new PageMemory(needed > FIRST_BYTES ? PAGE_MEMORY_KEPT_BYTES : FIRST_BYTES)
  return kept
}
