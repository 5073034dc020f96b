/**
 * The page in a buffer of our own, with sentinels behind it, so that the scanner's loops need no test for the end:
 * '<' ends text, the quotes end values, '>' ends tags. The buffer is used again for the next page.
 */
const SENTINELS = Uint8Array.of(0x3c, 0x22, 0x27, 0x3e)
/** Bytes behind the sentinels that a look ahead may touch. */
const SLACK = 64
const KEPT_BYTES = 4 * 1024 * 1024

let buffer = Buffer.alloc(256 * 1024)

/** Copies `page` (from `start` on) to the buffer, which the next call overwrites. */
export function withSentinels(page: Uint8Array, start: number): Buffer {
  const length = page.length - start
  const needed = length + SENTINELS.length + SLACK
  const target = needed > KEPT_BYTES ? Buffer.alloc(needed) : reusable(needed)
  target.set(start === 0 ? page : page.subarray(start))
  target.set(SENTINELS, length)
  target.fill(0, length + SENTINELS.length, needed)
  return target
}

function reusable(needed: number): Buffer {
  if (buffer.length < needed) buffer = Buffer.alloc(Math.min(KEPT_BYTES, needed * 2))
  return buffer
}
