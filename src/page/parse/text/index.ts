/**
 * page/parse/text/: the text of a page. In: ranges of its bytes and the tags between them. Out: title and
 * main text. Always: menus and other boilerplate are left out where the page has a text of its own.
 */
export { TextRanges } from './text-ranges.js'
export { createTextTags } from './text-tags.js'
export { TextWriter } from './text-writer.js'
export { oneLine, readTitle } from './title.js'
