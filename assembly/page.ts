/**
 * What is done to every byte of a page, sixteen at a time where that helps: stepping over tags that tell a crawler nothing,
 * and copying text. AssemblyScript with SIMD; `src/parse/page-memory.ts` puts the page into this module's memory.
 */

/** By the first letter of a tag, which lengths of name are of interest: `createSieve` in `src/parse/tags.ts`. */
export const SIEVE: usize = 0x0400
/** By byte, bits of `ByteClass` in `src/parse/page-memory.ts`. */
export const CLASSES: usize = 0x0800
/** Where the page begins; positions that the host gives and gets count from here. */
export const PAGE: usize = 0x1000

const LETTER: u32 = 1
const NAME_STOP: u32 = 2
const DECISIVE: u32 = 4
const NAME_LETTER: u32 = 8

const BRACKET: i8 = 0x3c
const SPACE: i8 = 0x20
const AMPERSAND: i8 = 0x26
/** First byte of a no-break space. */
const LEAD: i8 = <i8>0xc2

function isOf(byte: u32, byteClass: u32): bool {
  return (<u32>load<u8>(CLASSES + byte) & byteClass) != 0
}

/** The next '<'; there is one behind the page. */
function bracketFrom(from: usize): usize {
  let here = from
  while (true) {
    const found = <u32>i8x16.bitmask(i8x16.eq(v128.load(here), i8x16.splat(BRACKET)))
    if (found != 0) return here + <usize>ctz(found)
    here += 16
  }
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

/**
 * The first '<' at or after `from` that the host has to look at: of a start tag that the sieve lets through, a comment,
 * anything odd. Not less than `length` when there is none.
 */
export function nextOfInterest(from: usize, length: usize): usize {
  const end = PAGE + length
  let here = bracketFrom(PAGE + from)
  while (here < end) {
    const isEndTag = load<u8>(here + 1) == 0x2f
    const name = here + (isEndTag ? 2 : 1)
    const first = <u32>load<u8>(name)
    if (isOf(first, LETTER)) {
      let stop = name + 1
      while (!isOf(load<u8>(stop), NAME_STOP)) stop++
      if (!isEndTag && ((load<u32>(SIEVE + (first << 2)) >>> <u32>(stop - name)) & 1) != 0) break
      const behind = tagEnd(stop)
      if (behind == 0) break
      here = bracketFrom(behind)
    } else if (isEndTag || first == 0x21 || first == 0x3f) break
    else here = bracketFrom(here + 1)
  }
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
