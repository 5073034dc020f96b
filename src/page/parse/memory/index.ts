/**
 * page/parse/memory/: the bytes of a page in the memory of a WebAssembly module. In: a page as UTF-8. Out:
 * positions of tags, of the ends of raw text, and URLs of simple links. Always: every search ends at the
 * sentinels behind the page.
 */
export { Found, PageMemory, type TagTables, textAreaStart, withSentinels } from './page-memory.js'
export { Read } from './plain-links.js'
export { commentEnd, nextTag, rawTextEnd, scriptEnd } from './raw-text.js'
