/**
 * data/store/compress/: gzip (deflate/) and Snappy.
 * In: bytes. Out: compressed bytes. Always: any standard decoder reads them.
 */
export { appendSnappy, appendSnappyLiteral, appendSnappySize, snappyContent, snappySize } from './snappy.js'
