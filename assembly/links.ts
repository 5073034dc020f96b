/**
 * From the bytes of an href to the bytes and the fingerprint of a URL in one pass: the fast path of link resolution, for links
 * of plain characters to the page's own origin and to such as were met before. `src/parse/plain-links.ts` is its host.
 */
import {
  BEGINNINGS,
  HREF_BYTES,
  IN_PATH,
  IN_QUERY,
  isOf,
  LETTER,
  ORIGIN_BYTES,
  ORIGIN_COUNT,
  ORIGIN_SLOT,
  ORIGINS,
  PAGE,
  RESULTS,
  TARGET_ROOM,
  TARGETS,
} from './layout'

/** What `readLink` answers. */
const ODD: u32 = 0
const PLAIN: u32 = 1
const NOT_HTTP: u32 = 2

/** Each `..` inside an href has what stands before it read again: a page must not make that its work. */
const CLIMBS: u32 = 8
const NOWHERE: usize = 0

/** As in `src/model/fingerprint.ts`. */
const LANE_A: u32 = 0x9e3779b9
const LANE_B: u32 = 0x85ebca6b

/** What a URL begins with. `whole`: the base itself, which is where the host puts it. */
const WHOLE: u32 = 0
const ROOTED: u32 = 1
const RELATIVE: u32 = 2
const CLIMBING: u32 = 3
const FOREIGN: u32 = 4
const PATH: u32 = 5

/** Of each: how many bytes, and where the two lanes of the fingerprint stand behind them. */
const BYTES: usize = 0
const AT_A: usize = 4
const AT_B: usize = 8

function lengthOf(kind: u32): u32 {
  return load<u32>(BEGINNINGS + (<usize>kind << 4), BYTES)
}

function laneA(kind: u32): u32 {
  return load<u32>(BEGINNINGS + (<usize>kind << 4), AT_A)
}

function laneB(kind: u32): u32 {
  return load<u32>(BEGINNINGS + (<usize>kind << 4), AT_B)
}

function keep(kind: u32, length: u32, a: u32, b: u32): void {
  const place = BEGINNINGS + (<usize>kind << 4)
  store<u32>(place, length, BYTES)
  store<u32>(place, a, AT_A)
  store<u32>(place, b, AT_B)
}

let ownQueries: bool = false
/** Chosen by `begin`. */
let beginning: u32 = ROOTED

function stepA(a: u32, byte: u32): u32 {
  return rotl((a ^ byte) * 0xcc9e2d51, 15)
}

function stepB(b: u32, byte: u32, a: u32): u32 {
  return rotl((b ^ byte) * 0x1b873593, 13) + a
}

function mix(value: u32): u32 {
  let h = value
  h = (h ^ (h >>> 16)) * 0x85ebca6b
  h = (h ^ (h >>> 13)) * 0xc2b2ae35
  return h ^ (h >>> 16)
}

function targetOf(kind: u32): usize {
  return TARGETS + kind * TARGET_ROOM
}

/** The first `length` bytes of the base are what links of `kind` begin with. */
function take(kind: u32, length: u32): void {
  const from = targetOf(WHOLE)
  const to = targetOf(kind)
  let a = LANE_A
  let b = LANE_B
  for (let i: u32 = 0; i < length; i++) {
    const byte = load<u8>(from + i)
    store<u8>(to + i, byte)
    a = stepA(a, byte)
    b = stepB(b, byte, a)
  }
  keep(kind, length, a, b)
}

/**
 * Links are relative to the base in `TARGETS` from now on: of its bytes so many are the base without an empty query, its
 * origin, the folder, the path. Nothing is plain when there is no folder.
 */
export function attachBase(whole: u32, origin: u32, folder: u32, path: u32, queries: bool): void {
  ownQueries = queries
  keep(CLIMBING, 0, 0, 0)
  keep(RELATIVE, 0, 0, 0)
  if (folder == 0) return
  take(WHOLE, whole)
  take(ROOTED, origin)
  take(RELATIVE, folder)
  take(PATH, path)
}

/**
 * Reads the href at `from` to `to` of the page. When it is plain, the results are the low and the high half of its
 * fingerprint, where its bytes begin and how many they are, and whether it belongs to the base's origin.
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
      if (c == 0x23) break
      if (c == 0x3f) part = IN_QUERY
      else if (c == 0x26) {
        const reference = ampersandBytes(i, end)
        if (reference == 0) return ODD
        i += reference - 1
      } else if (c == 0x3a && beginning == RELATIVE) return isOtherScheme(start, i) ? NOT_HTTP : ODD
      else if (c == 0x20 || c > 0x7f) {
        // A space, and a letter beyond ASCII, byte by byte.
        if (ownQueries && part == IN_QUERY) return ODD
        const high = hexDigit(c >>> 4)
        store<u8>(at, 0x25)
        store<u8>(at, <u8>high, 1)
        at += 2
        a = stepA(a, 0x25)
        b = stepB(b, 0x25, a)
        a = stepA(a, high)
        b = stepB(b, high, a)
        c = hexDigit(c & 15)
      } else return ODD
    } else if (previous == 0x2f && (c == 0x2e || c == 0x25)) {
      // A segment that begins with a dot, or with what may be one.
      const next = i + 1 < end ? <u32>load<u8>(i + 1) : 0
      if (c == 0x25 || part == IN_QUERY) return ODD
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

/** Where the lanes stand behind what is left of the URL, up to `at`. */
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

/** Where the folder above the one that ends at `at` ends; the root has none above it. */
function parentOf(at: usize, target: usize): usize {
  const root = target + lengthOf(beginning == FOREIGN ? FOREIGN : ROOTED)
  let slash = at - 2
  while (load<u8>(slash) != 0x2f) slash--
  return slash >= root ? slash + 1 : at
}

/** Chooses what the URL begins with; returns where the rest begins in the href, NOWHERE when it is not plain. */
function begin(start: usize, end: usize): usize {
  const first = <u32>load<u8>(start)
  if (start == end || first == 0x23) return beginAt(WHOLE, start)
  if (first == 0x2f) {
    if (load<u8>(start + 1) != 0x2f) return beginAt(ROOTED, start)
    return beginForeign(load<u8>(targetOf(WHOLE) + 4) == 0x73, start + 2, end)
  }
  if (first == 0x2e) return climb(start, end)
  if (first == 0x3f) return beginAt(PATH, start)
  if ((first | 0x20) == 0x68) {
    if (isOwnOrigin(start)) return beginAt(ROOTED, start + lengthOf(ROOTED))
    const rest = afterScheme(start)
    if (rest != NOWHERE) return beginForeign(rest - start == 8, rest, end)
  }
  return beginAt(RELATIVE, start)
}

function beginAt(kind: u32, rest: usize): usize {
  beginning = kind
  return rest
}

function isOwnOrigin(start: usize): bool {
  const length = lengthOf(ROOTED)
  const origin = targetOf(ROOTED)
  for (let i: u32 = 0; i < length; i++) if (load<u8>(start + i) != load<u8>(origin + i)) return false
  return load<u8>(start + length) == 0x2f
}

/** Behind `http://` or `https://`, in letters of any case. */
function afterScheme(start: usize): usize {
  if ((load<u32>(start) | 0x20202020) != 0x70747468) return NOWHERE
  const colon = start + ((load<u8>(start + 4) | 0x20) == 0x73 ? 5 : 4)
  return load<u8>(colon) == 0x3a && load<u16>(colon + 1) == 0x2f2f ? colon + 3 : NOWHERE
}

/** The host begins at `start`; only one that was met before is taken. */
function beginForeign(isSecure: bool, start: usize, end: usize): usize {
  const target = targetOf(FOREIGN)
  store<u64>(target, 0x2f2f3a7370747468)
  if (!isSecure) {
    store<u32>(target, 0x002f2f3a, 4)
  }
  let length: u32 = isSecure ? 8 : 7
  let a = LANE_A
  let b = LANE_B
  for (let i: u32 = 0; i < length; i++) {
    const byte = load<u8>(target + i)
    a = stepA(a, byte)
    b = stepB(b, byte, a)
  }
  const bound = min(end, start + ORIGIN_BYTES - length)
  let i = start
  for (; i < bound; i++) {
    const byte = load<u8>(i)
    if (byte == 0x2f) break
    store<u8>(target + length++, byte)
    a = stepA(a, byte)
    b = stepB(b, byte, a)
  }
  if (i == bound) return NOWHERE
  if (length == lengthOf(ROOTED) && isSame(target, targetOf(ROOTED), length)) return beginAt(ROOTED, i)
  const known = slotOf(a)
  if (load<u32>(known) != length || !isSame(target, known + 4, length)) return NOWHERE
  keep(FOREIGN, length, a, b)
  return beginAt(FOREIGN, i)
}

function slotOf(lane: u32): usize {
  return ORIGINS + ((lane ^ (lane >>> 16)) & (ORIGIN_COUNT - 1)) * ORIGIN_SLOT
}

function isSame(left: usize, right: usize, length: u32): bool {
  for (let i: u32 = 0; i < length; i++) if (load<u8>(left + i) != load<u8>(right + i)) return false
  return true
}

/** The `length` bytes at `from` of the page are an origin that the full parser leaves as it is. */
export function settleOrigin(from: usize, length: u32): void {
  if (length > ORIGIN_BYTES) return
  const start = PAGE + from
  let a = LANE_A
  for (let i: u32 = 0; i < length; i++) a = stepA(a, load<u8>(start + i))
  const slot = slotOf(a)
  store<u32>(slot, length)
  memory.copy(slot + 4, start, length)
}

/** `./` and `../` before the rest. */
function climb(start: usize, end: usize): usize {
  let i = start
  let length = lengthOf(RELATIVE)
  const folder = targetOf(RELATIVE)
  while (load<u8>(i) == 0x2e && i + 2 < end) {
    if (load<u8>(i + 1) == 0x2f) i += 2
    else if (load<u16>(i + 1) == 0x2f2e) {
      i += 3
      length = parentLength(folder, length)
    } else return NOWHERE
  }
  if (i < end && (load<u8>(i) == 0x2e || load<u8>(i) == 0x2f)) return NOWHERE
  if (length != lengthOf(CLIMBING)) take(CLIMBING, length)
  return beginAt(CLIMBING, i)
}

function parentLength(folder: usize, length: u32): u32 {
  let slash = length - 2
  while (load<u8>(folder + slash) != 0x2f) slash--
  return slash >= lengthOf(ROOTED) ? slash + 1 : length
}

/**
 * How many bytes at `at` stand for one `&`: a reference to it, or the `&` itself where a name and `=` follow, as in
 * `?a=1&b=2`: there it begins no reference, whatever the name. 0 when it may mean something else.
 */
function ampersandBytes(at: usize, end: usize): usize {
  if (load<u8>(at + 1) == 0x23) return numberedAmpersand(at + 2)
  let i = at + 1
  while (i < end && isLetterOrDigit(load<u8>(i))) i++
  if (i > at + 1 && i < end && load<u8>(i) == 0x3d) return 1
  const isNamed = i == at + 4 && (load<u32>(at) >>> 8) == 0x706d61
  return isNamed && load<u8>(i) == 0x3b ? 5 : 0
}

/** `&#38;` and `&#x26;` from behind the `#` on. */
function numberedAmpersand(at: usize): usize {
  const letters = load<u32>(at)
  if ((letters & 0xffffff) == 0x3b3833) return 5
  return (letters | 0x20) == 0x3b363278 ? 6 : 0
}

/** Whether a scheme other than http and https ends at `colon`: `mailto:`, `javascript:`. */
function isOtherScheme(start: usize, colon: usize): bool {
  for (let i = start; i < colon; i++) {
    const c = <u32>load<u8>(i)
    if (!isLetterOrDigit(c) && (i == start || (c != 0x2b && c != 0x2d && c != 0x2e))) return false
  }
  const first = <u32>load<u8>(start) | 0x20
  // One that begins like http is left to the full parser.
  return colon > start && first >= 0x61 && first <= 0x7a && first != 0x68
}

/** What the URL parser cuts off at both ends. A NUL is not: to it that is U+FFFD already. */
function isEdge(c: u32): bool {
  return c <= 0x20 && c != 0
}

function isLetterOrDigit(c: u32): bool {
  return isOf(c, LETTER) || c - 0x30 < 10
}

function hexDigit(value: u32): u32 {
  return value < 10 ? 0x30 + value : 0x37 + value
}
