/**
 * page/parse/tree/: the full HTML parser, for pages that the scanner does not understand. In: a page as text.
 * Out: its links and facts. Always: the tree has a bounded number of nodes.
 */
export { fullParse } from './full-parse.js'
