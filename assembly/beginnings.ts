/**
 * What URLs can begin with: the page's own origin, its folder or one above it, an origin met before. Each
 * beginning is stored with room for the rest behind it, and with the state of the fingerprint at its end.
 */
import { LANE_A, LANE_B, stepA, stepB } from './fingerprint'
import {
  BEGINNINGS,
  ORIGIN_BYTES,
  ORIGIN_COUNT,
  ORIGIN_SLOT,
  ORIGINS,
  PAGE,
  TARGET_ROOM,
  TARGETS,
} from './layout'

export const NOWHERE: usize = 0

/** Kinds of beginnings. `whole`: the base itself, where the host has put it. */
const WHOLE: u32 = 0
export const ROOTED: u32 = 1
export const RELATIVE: u32 = 2
const CLIMBING: u32 = 3
export const FOREIGN: u32 = 4
const PATH: u32 = 5

/** Fields of a beginning: its length, and the two lanes of the fingerprint at its end. */
const BYTES: usize = 0
const AT_A: usize = 4
const AT_B: usize = 8

export function lengthOf(kind: u32): u32 {
  return load<u32>(BEGINNINGS + (<usize>kind << 4), BYTES)
}

export function laneA(kind: u32): u32 {
  return load<u32>(BEGINNINGS + (<usize>kind << 4), AT_A)
}

export function laneB(kind: u32): u32 {
  return load<u32>(BEGINNINGS + (<usize>kind << 4), AT_B)
}

function keep(kind: u32, length: u32, a: u32, b: u32): void {
  const place = BEGINNINGS + (<usize>kind << 4)
  store<u32>(place, length, BYTES)
  store<u32>(place, a, AT_A)
  store<u32>(place, b, AT_B)
}

/** Letters in a query are sent in the encoding of the page. */
export let ownQueries: bool = false

/** The beginning chosen by `begin`. */
export let beginning: u32 = ROOTED

export function targetOf(kind: u32): usize {
  return TARGETS + kind * TARGET_ROOM
}

/** Makes the first `length` bytes of the base the beginning of links of `kind`. */
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
 * Sets the base in `TARGETS` for the next links. The arguments are lengths of parts of it: the base without
 * an empty query, its origin, the folder, the path. Without a folder no link is plain.
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
 * Chooses the beginning of the URL; returns where the rest begins in the href, NOWHERE if it is not plain.
 */
export function begin(start: usize, end: usize): usize {
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

/** The position after `http://` or `https://`, in either case. */
function afterScheme(start: usize): usize {
  if ((load<u32>(start) | 0x20202020) != 0x70747468) return NOWHERE
  const colon = start + ((load<u8>(start + 4) | 0x20) == 0x73 ? 5 : 4)
  return load<u8>(colon) == 0x3a && load<u16>(colon + 1) == 0x2f2f ? colon + 3 : NOWHERE
}

/** The host begins at `start`; only the hosts of origins met before are accepted. */
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

/** Remembers the `length` bytes at `from` of the page as an origin that the full parser does not change. */
export function settleOrigin(from: usize, length: u32): void {
  if (length > ORIGIN_BYTES) return
  const start = PAGE + from
  let a = LANE_A
  for (let i: u32 = 0; i < length; i++) a = stepA(a, load<u8>(start + i))
  const slot = slotOf(a)
  store<u32>(slot, length)
  memory.copy(slot + 4, start, length)
}

/** Handles `./` and `../` before the rest. */
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
