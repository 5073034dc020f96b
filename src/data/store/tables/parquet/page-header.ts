/** What stands before each page of a column. */
import type { ByteSink } from '../../bytes/index.js'
import { appendThrift, int32, struct } from './thrift.js'

export const Encoding = { plain: 0, runs: 3, dictionary: 8 } as const

const DATA_PAGE = 0
const DICTIONARY_PAGE = 2

export interface PageSizes {
  readonly bytes: number
  readonly compressedBytes: number
}

export function appendDataHeader(sink: ByteSink, sizes: PageSizes, rows: number, encoding: number): void {
  const levels = int32(Encoding.runs)
  const data = struct([1, int32(rows)], [2, int32(encoding)], [3, levels], [4, levels])
  appendThrift(sink, struct([1, int32(DATA_PAGE)], ...sizeFields(sizes), [5, data]))
}

export function appendDictionaryHeader(sink: ByteSink, sizes: PageSizes, entries: number): void {
  const dictionary = struct([1, int32(entries)], [2, int32(Encoding.plain)])
  appendThrift(sink, struct([1, int32(DICTIONARY_PAGE)], ...sizeFields(sizes), [7, dictionary]))
}

function sizeFields({ bytes, compressedBytes }: PageSizes) {
  return [[2, int32(bytes)] as const, [3, int32(compressedBytes)] as const] as const
}
