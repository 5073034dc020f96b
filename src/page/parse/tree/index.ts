/**
 * page/parse/tree/: the full HTML parser, for pages that the scanner does not understand, and for those who
 * need the tree itself. In: a page as text. Out: its links and facts, or its tree. Always: the tree has a
 * bounded number of nodes.
 */
export {
  attribute,
  type Element,
  type ParentNode,
  parseBounded,
  walk,
} from './bounded-document.js'
export { fullParse } from './full-parse.js'
