/**
 * data/store/compress/deflate/: gzip members at the speed a crawl needs.
 */
export { FastDeflate } from './fast-deflate.js'
