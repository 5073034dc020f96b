/**
 * What is done to every byte of a page, sixteen at a time where that helps: stepping over tags that tell a crawler nothing,
 * and copying text. AssemblyScript with SIMD; `src/parse/page-memory.ts` puts the page into this module's memory.
 */

import { DECISIVE, FOUND, FOUND_ROOM, isOf, LETTER, NAME_LETTER, NAME_STOP, PAGE, RESULTS, SIEVE } from './layout'

export { BASE_BYTES, CLASSES, FOUND, FOUND_ROOM, PAGE, RESULTS, SIEVE, TARGETS } from './layout'
export { attachBase, settleOrigin } from './beginnings'
export { readLink } from './links'

const BRACKET: i8 = 0x3c
const SPACE: i8 = 0x20
/** The letters of two attributes, as they lie in memory. */
const HREF: u32 = 0x66657268
const ROLE: u32 = 0x656c6f72
const REL: u32 = 0x6c6572
const AMPERSAND: i8 = 0x26
/** First byte of a no-break space. */
const LEAD: i8 = <i8>0xc2

/** The next '<'; there is one behind the page. */
function bracketFrom(from: usize): usize {
  let here = from
  while (true) {
    const found = <u32>i8x16.bitmask(i8x16.eq(v128.load(here), i8x16.splat(BRACKET)))
    if (found != 0) return here + <usize>ctz(found)
    here += 16
  }
}

/** The next '<' at or after `from`. */
export function nextBracket(from: usize): usize {
  return bracketFrom(PAGE + from) - PAGE
}

/** Behind the tag whose name ends at `from`; 0 where its attributes are not all `name="value"`. */
function tagEnd(from: usize): usize {
  let i = from
  while (true) {
    while (!isOf(load<u8>(i), DECISIVE)) i++
    const found = load<u8>(i)
    if (found == 0x3e) return i + 1
    const quote = load<u8>(i + 1)
    if (found != 0x3d || !isOf(load<u8>(i - 1), NAME_LETTER) || (quote != 0x22 && quote != 0x27)) return 0
    i += 2
    while (load<u8>(i) != quote) i++
    i++
  }
}

/** Where the value of the first href of the anchor read last begins and ends; 0 when it has none. */
let hrefStart: usize = 0
let hrefEnd: usize = 0

/**
 * Behind the start tag of an anchor whose name ends at `from`; 0 where the host has to read it: its attributes are not all
 * ` name="value"`, or one of them says more than where the link leads.
 */
function anchorEnd(from: usize): usize {
  let i = from
  hrefStart = 0
  while (load<u8>(i) != 0x3e) {
    if (load<u8>(i) != 0x20) return 0
    const name = ++i
    while (isOf(load<u8>(i), NAME_LETTER)) i++
    const quote = load<u8>(i + 1)
    if (i == name || load<u8>(i) != 0x3d || (quote != 0x22 && quote != 0x27)) return 0
    const letters = load<u32>(name) | 0x20202020
    const nameBytes = i - name
    if (nameBytes == 3 && (letters & 0xffffff) == REL) return 0
    if (nameBytes == 4 && letters == ROLE) return 0
    const value = i + 2
    i = value
    while (load<u8>(i) != quote) i++
    if (nameBytes == 4 && letters == HREF && hrefStart == 0) {
      hrefStart = value
      hrefEnd = i
    }
    i++
  }
  return i + 1
}

/**
 * The anchor whose name ends at `from`, in a page of `length` bytes: returns the position behind its start tag, or 0 where
 * the host has to read it. The results are where its href begins and ends; it begins at 0 when there is none.
 */
export function anchor(from: usize, length: usize): usize {
  const behind = anchorEnd(PAGE + from)
  if (behind == 0 || behind > PAGE + length) return 0
  store<u32>(RESULTS, hrefStart == 0 ? 0 : <u32>(hrefStart - PAGE))
  store<u32>(RESULTS + 4, <u32>(hrefEnd - PAGE))
  return behind - PAGE
}

/**
 * The first '<' at or after `from` that the host has to look at: of a start tag that the sieve lets through, a comment,
 * anything odd. Not less than `length` when there is none. Plain anchors on the way are put into the list of those found;
 * the first result is how many.
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
 * Copies the bytes from `from` on to `at` as long as they can stand as they are: up to `to`, a control character, an '&', the
 * first byte of a no-break space, or a space after a space. `afterSpace` is 1 where the text so far ends in one. Returns
 * where it stopped. Up to fifteen bytes more are read and written.
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
