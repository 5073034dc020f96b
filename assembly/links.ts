/**
 * The fast path of link resolution: one pass from the bytes of an href to the bytes and the fingerprint of a
 * URL, for links of plain characters to the page's own origin and to origins met before. The host is
 * `src/page/parse/memory/plain-links.ts`.
 */
import {
  begin,
  beginning,
  FOREIGN,
  laneA,
  laneB,
  lengthOf,
  NOWHERE,
  ownQueries,
  RELATIVE,
  ROOTED,
  targetOf,
} from './beginnings'
import { mix, stepA, stepB } from './fingerprint'
import { HREF_BYTES, IN_PATH, IN_QUERY, isOf, LETTER, PAGE, RESULTS } from './layout'

/** Results of `readLink`. */
const ODD: u32 = 0
const PLAIN: u32 = 1
const NOT_HTTP: u32 = 2

/** Not an octet. */
const NONE: u32 = 256

/** Each `..` inside an href makes the part before it be read again, so their number is limited. */
const CLIMBS: u32 = 8

/**
 * Reads the href at `from..to` of the page. Results for a plain link: low and high half of its fingerprint,
 * start and length of its bytes, and whether it has the base's origin.
 */
export function readLink(from: usize, to: usize): u32 {
  let start = PAGE + from
  let end = PAGE + to
  while (start < end && isEdge(load<u8>(start))) start++
  while (start < end && isEdge(load<u8>(end - 1))) end--
  if (lengthOf(RELATIVE) == 0 || end - start > HREF_BYTES) return ODD
  let i = begin(start, end)
  if (i == NOWHERE) return ODD
  const target = targetOf(beginning)
  let at = target + lengthOf(beginning)
  let a = laneA(beginning)
  let b = laneB(beginning)
  let part = IN_PATH
  let previous: u32 = 0x2f
  let climbs: u32 = 0
  for (; i < end; i++) {
    let c = <u32>load<u8>(i)
    if (!isOf(c, part)) {
      let escaped = NONE
      if (c == 0x23) break
      if (c == 0x3f) part = IN_QUERY
      else if (c == 0x26) {
        const reference = ampersandBytes(i, end)
        if (reference == 0) return ODD
        i += reference - 1
      } else if (c == 0x3a && beginning == RELATIVE) return isOtherScheme(start, i) ? NOT_HTTP : ODD
      else if (c == 0x20 || c > 0x7f) {
        // A space or a non-ASCII letter, byte by byte.
        if (ownQueries && part == IN_QUERY) return ODD
        escaped = c
      } else if (c == 0x25) {
        const octet = octetAt(i + 1, end)
        // An escaped dot may form a dot segment.
        if (octet == NONE || octet == 0x2e) return ODD
        i += 2
        if (isUnreserved(octet)) c = octet
        else escaped = octet
      } else return ODD
      if (escaped != NONE) {
        const high = hexDigit(escaped >>> 4)
        store<u8>(at, 0x25)
        store<u8>(at, <u8>high, 1)
        at += 2
        a = stepA(a, 0x25)
        b = stepB(b, 0x25, a)
        a = stepA(a, high)
        b = stepB(b, high, a)
        c = hexDigit(escaped & 15)
      }
    } else if (previous == 0x2f && c == 0x2e) {
      // A segment that begins with a dot.
      const next = i + 1 < end ? <u32>load<u8>(i + 1) : 0
      if (part == IN_QUERY) return ODD
      if (next == 0x2f) {
        i++
        continue
      }
      if (next != 0x2e || i + 2 >= end || load<u8>(i + 2) != 0x2f || ++climbs > CLIMBS) return ODD
      at = parentOf(at, target)
      if (at < target + lengthOf(beginning)) return ODD
      readAgain(target, at)
      a = againA
      b = againB
      i += 2
      continue
    }
    previous = c
    store<u8>(at++, <u8>c)
    a = stepA(a, c)
    b = stepB(b, c, a)
  }
  finish(a, b, <u32>(at - target))
  store<u32>(RESULTS, <u32>target, 8)
  return PLAIN
}

function finish(a: u32, b: u32, length: u32): void {
  let low = a ^ length
  let high = b + low
  low = mix(low)
  high = mix(high ^ low)
  low += high
  store<u32>(RESULTS, mix(low ^ 0x27d4eb2f))
  store<u32>(RESULTS, high, 4)
  store<u32>(RESULTS, length, 12)
  store<u32>(RESULTS, beginning == FOREIGN ? 0 : 1, 16)
}

/** The lanes at the end of what is left of the URL, which ends at `at`. */
let againA: u32 = 0
let againB: u32 = 0

function readAgain(target: usize, at: usize): void {
  againA = laneA(beginning)
  againB = laneB(beginning)
  for (let here = target + lengthOf(beginning); here < at; here++) {
    const byte = load<u8>(here)
    againA = stepA(againA, byte)
    againB = stepB(againB, byte, againA)
  }
}

/** The end of the folder above the one that ends at `at`; the root is its own parent. */
function parentOf(at: usize, target: usize): usize {
  const root = target + lengthOf(beginning == FOREIGN ? FOREIGN : ROOTED)
  let slash = at - 2
  while (load<u8>(slash) != 0x2f) slash--
  return slash >= root ? slash + 1 : at
}

/**
 * The number of bytes at `at` that mean one `&`: a reference to it, or `&` itself before a name and `=`, as
 * in `?a=1&b=2`, where it never begins a reference. 0 if it may mean something else.
 */
function ampersandBytes(at: usize, end: usize): usize {
  if (load<u8>(at + 1) == 0x23) return numberedAmpersand(at + 2)
  let i = at + 1
  while (i < end && isLetterOrDigit(load<u8>(i))) i++
  if (i > at + 1 && i < end && load<u8>(i) == 0x3d) return 1
  const isNamed = i == at + 4 && (load<u32>(at) >>> 8) == 0x706d61
  return isNamed && load<u8>(i) == 0x3b ? 5 : 0
}

/** Reads `&#38;` and `&#x26;` after the `#`. */
function numberedAmpersand(at: usize): usize {
  const letters = load<u32>(at)
  if ((letters & 0xffffff) == 0x3b3833) return 5
  return (letters | 0x20) == 0x3b363278 ? 6 : 0
}

/** Whether a scheme other than http and https ends at `colon`, such as `mailto:`. */
function isOtherScheme(start: usize, colon: usize): bool {
  for (let i = start; i < colon; i++) {
    const c = <u32>load<u8>(i)
    if (!isLetterOrDigit(c) && (i == start || (c != 0x2b && c != 0x2d && c != 0x2e))) return false
  }
  const first = <u32>load<u8>(start) | 0x20
  // A scheme that begins like http is left to the full parser.
  return colon > start && first >= 0x61 && first <= 0x7a && first != 0x68
}

/** A byte that the URL parser trims. NUL is not trimmed: it has become U+FFFD before. */
function isEdge(c: u32): bool {
  return c <= 0x20 && c != 0
}

function isLetterOrDigit(c: u32): bool {
  return isOf(c, LETTER) || c - 0x30 < 10
}

/** RFC 3986, 2.3, without the dot: an escape of these means the character itself. */
function isUnreserved(octet: u32): bool {
  return isLetterOrDigit(octet) || octet == 0x2d || octet == 0x5f || octet == 0x7e
}

/** The octet of the two hexadecimal digits at `at`; NONE if there are none. */
function octetAt(at: usize, end: usize): u32 {
  if (at + 2 > end) return NONE
  const high = hexValue(load<u8>(at))
  const low = hexValue(load<u8>(at + 1))
  return high > 15 || low > 15 ? NONE : (high << 4) | low
}

/** More than 15 for a byte that is not a digit. */
function hexValue(c: u32): u32 {
  if (c - 0x30 < 10) return c - 0x30
  const letter = (c | 0x20) - 0x61
  return letter < 6 ? letter + 10 : 16
}

function hexDigit(value: u32): u32 {
  return value < 10 ? 0x30 + value : 0x37 + value
}
