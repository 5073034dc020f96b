/**
 * Collects the text between the tags that the host has to read. The other tags, nearly all of them, are
 * handled here: those that only separate pieces of text or change the depth of the watched element, and plain
 * anchors.
 */
import {
  FOUND,
  FOUND_ROOM,
  isOf,
  LETTER,
  NAME_CODES,
  PAGE,
  RANGE_ROOM,
  RANGES,
  RESULTS,
  TEXT_TAG_BITS,
  TEXT_TAGS,
} from './layout'
import { anchorEnd, bracketFrom, hrefEnd, hrefStart, tagEnd } from './tags'

/** Marks of a piece of text, as in `src/page/parse/text/text-ranges.ts`; tags set those of the next one. */
const LINE: u32 = 1
const BLANK: u32 = 2
const PREFORMATTED: u32 = 4
/** Other actions of a tag, as in `src/page/parse/text/text-tags.ts`. */
const START_FOR_HOST: u32 = 8
const END_FOR_HOST: u32 = 16
const ATTRIBUTES: u32 = 32
const ANCHOR: u32 = 64

/** The key of an empty entry. */
const NOBODY: u64 = 0
const SCATTER: u64 = 0x9e3779b97f4a7c15
const ENTRY_BYTES: usize = 16
/** Fields of an entry after the key: the tag's action, and its number. */
const ACTION: usize = 8
const NUMBER: usize = 12

/** The gap before the next piece of text, and whether that is preformatted. */
let state: u32 = 0
let rangeCount: u32 = 0
let anchorCount: u32 = 0

/**
 * The first '<' at or after `from` that the host has to read; `length` or more if there is none. `begin` is
 * the state of the text there. `watched` is the number of a tag that is open `depth` times; its last end tag
 * is the host's. Results: number of anchors, number of pieces of text, start of the text not yet collected,
 * its state, and the depth.
 */
export function nextForText(from: usize, length: usize, begin: u32, watched: u32, depth: u32): usize {
  const end = PAGE + length
  let open = depth
  let textStart = PAGE + from
  let here = bracketFrom(textStart)
  state = begin
  rangeCount = 0
  anchorCount = 0
  while (here < end) {
    const isEndTag = load<u8>(here + 1) == 0x2f
    const name = here + (isEndTag ? 2 : 1)
    const first = <u32>load<u8>(name)
    if (!isOf(first, LETTER)) {
      if (isEndTag || first == 0x21 || first == 0x3f) break
      here = bracketFrom(here + 1)
      continue
    }
    if (rangeCount == RANGE_ROOM || anchorCount == FOUND_ROOM) break
    if (here > textStart) addText(textStart, here)
    textStart = here
    let key = <u64>load<u8>(NAME_CODES + first)
    let stop = name + 1
    for (let code = load<u8>(NAME_CODES + load<u8>(stop)); code != 0; code = load<u8>(NAME_CODES + load<u8>(++stop)))
      key = (key << 5) | <u64>code
    const entry = entryOf(key)
    const action = load<u32>(entry, ACTION)
    if ((action & (isEndTag ? END_FOR_HOST : START_FOR_HOST)) != 0) break
    const behind = isEndTag || (action & ATTRIBUTES) == 0 ? tagEnd(stop) : anchorEnd(stop)
    if (behind == 0 || behind > end) break
    if (open != 0 && load<u32>(entry, NUMBER) == watched) {
      if (!isEndTag) open++
      else if (open == 1) break
      else open--
    }
    if ((action & ANCHOR) != 0 && !isEndTag && hrefStart != 0) addAnchor()
    state |= action & (LINE | BLANK)
    if ((action & PREFORMATTED) != 0) state = isEndTag ? state & ~PREFORMATTED : state | PREFORMATTED
    textStart = behind
    here = bracketFrom(behind)
  }
  store<u32>(RESULTS, anchorCount)
  store<u32>(RESULTS, rangeCount, 4)
  store<u32>(RESULTS, <u32>(textStart - PAGE), 8)
  store<u32>(RESULTS, state, 12)
  store<u32>(RESULTS, open, 16)
  return here - PAGE
}

/** The entry of the tag with this key; an empty one if the table does not contain it. */
function entryOf(key: u64): usize {
  let slot = <usize>((key * SCATTER) >> (64 - TEXT_TAG_BITS))
  while (true) {
    const entry = TEXT_TAGS + slot * ENTRY_BYTES
    const known = load<u64>(entry)
    if (known == key || known == NOBODY) return entry
    slot = (slot + 1) & ((1 << TEXT_TAG_BITS) - 1)
  }
}

function addAnchor(): void {
  const place = FOUND + (<usize>anchorCount << 3)
  store<u32>(place, <u32>(hrefStart - PAGE))
  store<u32>(place, <u32>(hrefEnd - PAGE), 4)
  anchorCount++
}

/** Adds the text between two tags, as `TextRanges.add` does. */
function addText(from: usize, to: usize): void {
  let start = from
  while (start < to && load<u8>(start) <= 0x20) start++
  if (start > from) state |= gapOf(from, start)
  if (start == to) return
  let end = to
  while (load<u8>(end - 1) <= 0x20) end--
  const place = RANGES + <usize>rangeCount * 12
  store<u32>(place, <u32>(start - PAGE))
  store<u32>(place, <u32>(end - PAGE), 4)
  store<u32>(place, state, 8)
  rangeCount++
  state = (state & PREFORMATTED) | (end < to ? gapOf(end, to) : 0)
}

function gapOf(from: usize, to: usize): u32 {
  if ((state & PREFORMATTED) == 0) return BLANK
  for (let i = from; i < to; i++) {
    const c = load<u8>(i)
    if (c == 0x0a || c == 0x0d) return LINE
  }
  return BLANK
}
