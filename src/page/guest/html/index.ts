/**
 * page/guest/html/: elements of a page by CSS selector, for guests. In: a page as text, and selectors. Out:
 * elements with text and attributes. Always: the tree, the number of elements found and their text have
 * bounds; a selector that is not understood throws.
 */
export { PageTree } from './page-tree.js'
