/**
 * Finds the lines of a robots.txt. In WebAssembly, because this loop runs over every byte, mostly once per
 * origin, and JavaScript would run it before it is compiled. `src/page/robots/line-scan.ts` is the host.
 */

/** Four numbers per line: its number and kind, its start, its end, the start of its value. */
export const LINES: usize = 0x0400
export const LINES_ROOM: u32 = 4096
/** Start of the file; the positions exchanged with the host are relative to it. */
export const FILE: usize = LINES + (<usize>LINES_ROOM << 4)

/** Kinds of lines. The host reads the other ones. */
export const OTHER: u32 = 0
export const DISALLOW: u32 = 1
export const ALLOW: u32 = 2
export const AGENT: u32 = 3
export const KIND_BITS: u32 = 2

const LF: u32 = 0x0a
const CR: u32 = 0x0d
const HASH: u32 = 0x23
const COLON: u32 = 0x3a

/** Where the next call continues. */
export let next: usize = 0
let number: u32 = 0

/** Space, tab, line and page feeds within a line; also NUL, which some editors leave behind. */
function isBlank(c: u32): bool {
  return c == 0x20 || c == 0x09 || c == 0x0b || c == 0x0c || c == 0
}

/** Whether the letters of `word` (lowest byte first) are at `at`, in either case. */
function holds(at: usize, word: u64): bool {
  return (load<u64>(at) | 0x2020202020202020) == word
}

/** The kind by the first word of the line. At least eight bytes follow every line. */
function kindAt(start: usize): u32 {
  // disallow
  if (holds(start, 0x776f6c6c61736964)) return DISALLOW
  // allow
  if (((load<u64>(start) & 0xffffffffff) | 0x2020202020) == 0x776f6c6c61) return ALLOW
  // user-age + nt
  if (holds(start, 0x6567612d72657375) && (load<u16>(start + 8) | 0x2020) == 0x746e) return AGENT
  return OTHER
}

function wordSize(kind: u32): usize {
  return kind == DISALLOW ? 8 : kind == ALLOW ? 5 : 10
}

/** The first non-blank at or after `from`. */
function skipBlanks(from: usize, end: usize): usize {
  let at = from
  while (at < end && isBlank(load<u8>(at))) at++
  return at
}

/** Reads lines from `from` on, as many as fit; drops a last line that is cut. Returns their number. */
export function readLines(from: usize, size: usize, isWhole: bool): u32 {
  if (from == 0) number = 0
  const end = FILE + size
  let at = FILE + from
  let count: u32 = 0
  while (at < end && count < LINES_ROOM) {
    number++
    const start = skipBlanks(at, end)
    let said = start
    let here = start
    let c: u32 = 0
    for (; here < end; here++) {
      c = load<u8>(here)
      if (c == LF || c == CR || c == HASH) break
      if (!isBlank(c)) said = here + 1
    }
    if (here < end && c == HASH) {
      for (; here < end; here++) {
        c = load<u8>(here)
        if (c == LF || c == CR) break
      }
    }
    if (here == end && !isWhole) {
      at = end
      break
    }
    if (said > start) putLine(count++, start, said)
    at = here + 1
    if (here < end && c == CR && at < end && load<u8>(at) == LF) at++
  }
  next = min(at, end) - FILE
  return count
}

function putLine(count: u32, start: usize, end: usize): void {
  let kind = kindAt(start)
  let value = start
  if (kind != OTHER) {
    value = skipBlanks(start + wordSize(kind), end)
    if (value < end && load<u8>(value) == COLON) value = skipBlanks(value + 1, end)
    else kind = OTHER
  }
  const line = LINES + (<usize>count << 4)
  store<u32>(line, (number << KIND_BITS) | kind)
  store<u32>(line + 4, <u32>(start - FILE))
  store<u32>(line + 8, <u32>(end - FILE))
  store<u32>(line + 12, <u32>(value - FILE))
}
