/**
 * The page in a buffer of our own, with sentinels behind it, so that the scanner's loops need no test for the
 * end: '<' ends text, the quotes end values, '>' ends tags. Behind them is room for the page's text: copying
 * inside one buffer is by far the cheapest. The buffer is used again for the next page.
 */
import { LIMITS } from '../model/limits.js'

const SENTINELS = Uint8Array.of(0x3c, 0x22, 0x27, 0x3e)
/** Bytes behind the sentinels that a look ahead may touch. */
const SLACK = 64
const KEPT_BYTES = 4 * 1024 * 1024

let buffer = Buffer.alloc(256 * 1024)

/**
 * Copies `page` (from `start` on) to the buffer, which the next call overwrites; `wantText` makes room for
 * text.
 */
export function withSentinels(page: Uint8Array, start: number, wantText: boolean): Buffer {
  const length = page.length - start
  const textStart = textAreaStart(length)
  const needed = wantText ? textStart + LIMITS.textBytes + SLACK : textStart
  const target = needed > KEPT_BYTES ? Buffer.alloc(needed) : reusable(needed)
  target.set(start === 0 ? page : page.subarray(start))
  target.set(SENTINELS, length)
  target.fill(0, length + SENTINELS.length, textStart)
  return target
}

/** Where the room for text begins behind a page of `length` bytes. */
export function textAreaStart(length: number): number {
  return length + SENTINELS.length + SLACK
}

function reusable(needed: number): Buffer {
  if (buffer.length < needed) buffer = Buffer.alloc(Math.min(KEPT_BYTES, needed * 2))
  return buffer
}
