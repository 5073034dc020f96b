/** Finds where tags begin and end, for all scans of this module. */
import { DECISIVE, isOf, NAME_LETTER } from './layout'

const BRACKET: i8 = 0x3c
/** The letters of two attribute names, as they lie in memory. */
const HREF: u32 = 0x66657268
const ROLE: u32 = 0x656c6f72
const REL: u32 = 0x6c6572

/** The next '<'; there is one behind the page. */
export function bracketFrom(from: usize): usize {
  let here = from
  while (true) {
    const found = <u32>i8x16.bitmask(i8x16.eq(v128.load(here), i8x16.splat(BRACKET)))
    if (found != 0) return here + <usize>ctz(found)
    here += 16
  }
}

/** The end of the tag whose name ends at `from`; 0 unless all its attributes are `name="value"`. */
export function tagEnd(from: usize): usize {
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

/** Start and end of the first href of the anchor read last; 0 if it has none. */
export let hrefStart: usize = 0
export let hrefEnd: usize = 0

/**
 * The end of the start tag of an anchor whose name ends at `from`. 0 if the host has to read it: an attribute
 * is not ` name="value"`, or says more than the target of the link.
 */
export function anchorEnd(from: usize): usize {
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
