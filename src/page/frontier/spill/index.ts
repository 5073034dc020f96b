/**
 * page/frontier/spill/: memory that spills to disk.
 * In: blocks. Out: the same blocks. Always: the files are temporary, and safe to delete.
 */
export { BLOCK_BYTES, BlockList, BlockPool } from './block-list.js'
export { ByteReader, ByteWriter } from './bytes.js'
export { NO_PAGE, PAGE_BYTES, PageFile } from './page-file.js'
export { PIECE_BYTES, Slab } from './slab.js'
export { NO_CLASS, type SpillHolder, SpillOrder } from './spill-order.js'
