/**
 * Where things lie in the memory of the module `page`. The host fills the tables, see
 * `src/page/parse/memory/page-memory.ts`.
 */

/**
 * By the first letter of a tag, which lengths of name are of interest: `createSieve` in
 * `src/page/parse/tags/tags.ts`.
 */
export const SIEVE: usize = 0x0400
/** By byte, bits of `ByteClass` in `src/page/parse/memory/page-memory.ts`. */
export const CLASSES: usize = 0x0800
/** What a call leaves behind for the host, as 32-bit numbers. */
export const RESULTS: usize = 0x0900
/** What URLs can begin with, see `links.ts`. */
export const BEGINNINGS: usize = 0x0a00
/** Links found: where each value begins and ends, as 32-bit numbers. */
export const FOUND: usize = 0x1000
export const FOUND_ROOM: u32 = 1024
/** Origins met before: the length, then the bytes. */
export const ORIGINS: usize = 0x3000
export const ORIGIN_COUNT: u32 = 1024
export const ORIGIN_BYTES: u32 = 128
export const ORIGIN_SLOT: u32 = 132
/** What links begin with, each with room for the rest behind it. */
export const TARGETS: usize = 0x24000
/** The longest base that links are resolved against here. */
export const BASE_BYTES: u32 = 0x1000
/** Longer hrefs are not worth the room; every byte of one may become three. */
export const HREF_BYTES: u32 = 0x1000
export const TARGET_ROOM: u32 = BASE_BYTES + 3 * HREF_BYTES
/** Codes of the bytes of a tag's name, 0 for what ends it: `TAG_CODES` in `src/page/parse/tags/names.ts`. */
export const NAME_CODES: usize = 0x3c000
/** What tags do to the text: a table by name, see `src/page/parse/text/text-tags.ts`. */
export const TEXT_TAGS: usize = 0x3d000
export const TEXT_TAG_BITS: u32 = 8
/** Pieces of text found: where each begins and ends, and its marks, as 32-bit numbers. */
export const RANGES: usize = 0x40000
export const RANGE_ROOM: u32 = 4096
/** Where the page begins; positions that the host gives and gets count from here. */
export const PAGE: usize = 0x50000

/** What `CLASSES` says of a byte. */
export const LETTER: u32 = 1
export const NAME_STOP: u32 = 2
export const DECISIVE: u32 = 4
export const NAME_LETTER: u32 = 8
/** It stands as it is in the path of a URL, in its query. */
export const IN_PATH: u32 = 16
export const IN_QUERY: u32 = 32

export function isOf(byte: u32, byteClass: u32): bool {
  return (<u32>load<u8>(CLASSES + byte) & byteClass) != 0
}
