/**
 * Copies text sixteen bytes at a time. Most of it needs no change at all, and where one is needed a look at sixteen bytes
 * says so at the price of a look at two. AssemblyScript; `src/parse/page-memory.ts` has the page in this module's memory.
 */

const SPACE: i8 = 0x20
const AMPERSAND: i8 = 0x26
/** First byte of a no-break space. */
const LEAD: i8 = <i8>0xc2

/**
 * Copies the bytes from `from` on to `at` as long as they can stand as they are: up to `to`, a control character, an '&', the
 * first byte of a no-break space, or a space after a space. `afterSpace` is 1 where the text so far ends in one. Returns
 * where it stopped. Up to fifteen bytes more are read and written.
 */
export function copyRun(from: usize, to: usize, at: usize, afterSpace: u32): usize {
  let there = at
  let before = afterSpace
  for (let here = from; here < to; here += 16) {
    const bytes = v128.load(here)
    v128.store(there, bytes)
    const spaces = <u32>i8x16.bitmask(i8x16.eq(bytes, i8x16.splat(SPACE)))
    const references = v128.or(i8x16.eq(bytes, i8x16.splat(AMPERSAND)), i8x16.eq(bytes, i8x16.splat(LEAD)))
    const odd = <u32>i8x16.bitmask(v128.or(i8x16.lt_u(bytes, i8x16.splat(SPACE)), references))
    const stops = odd | (spaces & ((spaces << 1) | before))
    if (stops != 0) return min(to, here + <usize>ctz(stops))
    before = spaces >> 15
    there += 16
  }
  return to
}
