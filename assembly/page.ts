/**
 * The work done on every byte of a page, sixteen at a time with SIMD: skipping tags without information for a
 * crawler, and copying text. The host is `src/page/parse/memory/page-memory.ts`, which copies the page into
 * this module's memory.
 */
import { FOUND, FOUND_ROOM, isOf, LETTER, NAME_STOP, PAGE, RESULTS, SIEVE } from './layout'
import { anchorEnd, bracketFrom, hrefEnd, hrefStart, tagEnd } from './tags'

export {
  BASE_BYTES,
  CLASSES,
  FOUND,
  FOUND_ROOM,
  NAME_CODES,
  PAGE,
  RANGE_ROOM,
  RANGES,
  RESULTS,
  SIEVE,
  TARGETS,
  TEXT_TAG_BITS,
  TEXT_TAGS,
} from './layout'
export { attachBase, settleOrigin } from './beginnings'
export { readLink } from './links'
export { nextForText } from './text'

const SPACE: i8 = 0x20
const AMPERSAND: i8 = 0x26
/** First byte of a no-break space. */
const LEAD: i8 = <i8>0xc2

/** The next '<' at or after `from`. */
export function nextBracket(from: usize): usize {
  return bracketFrom(PAGE + from) - PAGE
}

/**
 * The first '<' at or after `from` that the host has to read: a start tag that passes the sieve, a comment,
 * unusual markup. `length` or more if there is none. Lists plain anchors on the way; the first result is
 * their number.
 */
export function nextOfInterest(from: usize, length: usize): usize {
  const end = PAGE + length
  let here = bracketFrom(PAGE + from)
  let found: u32 = 0
  while (here < end) {
    const isEndTag = load<u8>(here + 1) == 0x2f
    const name = here + (isEndTag ? 2 : 1)
    const first = <u32>load<u8>(name)
    if (isOf(first, LETTER)) {
      let stop = name + 1
      while (!isOf(load<u8>(stop), NAME_STOP)) stop++
      let behind: usize
      if (isEndTag || ((load<u32>(SIEVE + (first << 2)) >>> <u32>(stop - name)) & 1) == 0) behind = tagEnd(stop)
      else {
        if (stop != name + 1 || (first | 0x20) != 0x61 || found == FOUND_ROOM) break
        behind = anchorEnd(stop)
        if (behind > end) break
        if (behind != 0 && hrefStart != 0) {
          store<u32>(FOUND + (<usize>found << 3), <u32>(hrefStart - PAGE))
          store<u32>(FOUND + (<usize>found << 3), <u32>(hrefEnd - PAGE), 4)
          found++
        }
      }
      if (behind == 0) break
      here = bracketFrom(behind)
    } else if (isEndTag || first == 0x21 || first == 0x3f) break
    else here = bracketFrom(here + 1)
  }
  store<u32>(RESULTS, found)
  return here - PAGE
}

/**
 * Copies the bytes from `from` on to `at` until one that needs treatment, or `to`: a control character, an
 * '&', the first byte of a no-break space, or a space after a space. `afterSpace` is 1 if the text so far
 * ends in a space. Returns the position reached. May read and write up to fifteen bytes more.
 */
export function copyRun(from: usize, to: usize, at: usize, afterSpace: u32): usize {
  const end = PAGE + to
  let there = PAGE + at
  let before = afterSpace
  for (let here = PAGE + from; here < end; here += 16) {
    const bytes = v128.load(here)
    v128.store(there, bytes)
    const spaces = <u32>i8x16.bitmask(i8x16.eq(bytes, i8x16.splat(SPACE)))
    const references = v128.or(i8x16.eq(bytes, i8x16.splat(AMPERSAND)), i8x16.eq(bytes, i8x16.splat(LEAD)))
    const odd = <u32>i8x16.bitmask(v128.or(i8x16.lt_u(bytes, i8x16.splat(SPACE)), references))
    const stops = odd | (spaces & ((spaces << 1) | before))
    if (stops != 0) return min(end, here + <usize>ctz(stops)) - PAGE
    before = spaces >> 15
    there += 16
  }
  return to
}
