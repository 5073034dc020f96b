/** The layout of the memory of the module `page`. `src/page/parse/memory/page-memory.ts` fills the tables. */

/**
 * By first letter of a tag, the lengths of names of interest: `createSieve` in `src/page/parse/tags/tags.ts`.
 */
export const SIEVE: usize = 0x0400
/** By byte, bits of `ByteClass` in `src/page/parse/memory/page-memory.ts`. */
export const CLASSES: usize = 0x0800
/** Results of a call for the host, as 32-bit numbers. */
export const RESULTS: usize = 0x0900
/** The beginnings of URLs, see `links.ts`. */
export const BEGINNINGS: usize = 0x0a00
/** Links found: start and end of each value, as 32-bit numbers. */
export const FOUND: usize = 0x1000
export const FOUND_ROOM: u32 = 1024
/** Origins met before: the length, then the bytes. */
export const ORIGINS: usize = 0x3000
export const ORIGIN_COUNT: u32 = 1024
export const ORIGIN_BYTES: u32 = 128
export const ORIGIN_SLOT: u32 = 132
/** The bytes of beginnings, each with room for the rest of a URL. */
export const TARGETS: usize = 0x24000
/** The longest base against which links are resolved here. */
export const BASE_BYTES: u32 = 0x1000
/** The longest href resolved here; each of its bytes may become three. */
export const HREF_BYTES: u32 = 0x1000
export const TARGET_ROOM: u32 = BASE_BYTES + 3 * HREF_BYTES
/**
 * Codes of the bytes of a tag's name, 0 for those that end it: `TAG_CODES` in `src/page/parse/tags/names.ts`.
 */
export const NAME_CODES: usize = 0x3c000
/** The effect of tags on the text, by name: see `src/page/parse/text/text-tags.ts`. */
export const TEXT_TAGS: usize = 0x3d000
export const TEXT_TAG_BITS: u32 = 8
/** Pieces of text found: start, end and marks of each, as 32-bit numbers. */
export const RANGES: usize = 0x40000
export const RANGE_ROOM: u32 = 4096
/** Start of the page; the positions exchanged with the host are relative to it. */
export const PAGE: usize = 0x50000

/** Bits in `CLASSES`. */
export const LETTER: u32 = 1
export const NAME_STOP: u32 = 2
export const DECISIVE: u32 = 4
export const NAME_LETTER: u32 = 8
/** The byte needs no escape in the path, or in the query, of a URL. */
export const IN_PATH: u32 = 16
export const IN_QUERY: u32 = 32

export function isOf(byte: u32, byteClass: u32): bool {
  return (<u32>load<u8>(CLASSES + byte) & byteClass) != 0
}
