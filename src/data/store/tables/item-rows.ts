/**
 * Rows of items in bytes, little endian: uint32 size, uint32 number of the row on its page, uint32 length of
 * the page's URL, that URL, then the cells as JSON: `[[name, type, value], …]`.
 */
import type { Item, ItemType } from '../../../page/guest/index.js'
import type { ByteSink } from '../bytes/index.js'

const FIXED_BYTES = 12

type StoredCell = readonly [name: string, type: ItemType, value: string | number | boolean | null]

export interface ItemRowView {
  readonly bytes: Buffer
  readonly urlStart: number
  readonly urlEnd: number
  readonly row: number
  readonly cells: readonly StoredCell[]
}

export function appendItems(sink: ByteSink, url: string, items: readonly Item[]): void {
  for (const [i, item] of items.entries()) {
    const start = sink.length
    sink.uint32(0)
    sink.uint32(i)
    sink.uint32(0)
    const urlBytes = sink.text(url)
    const cells: StoredCell[] = item.map(({ name, type, value }) => [name, type, value])
    // A surrogate alone would become invalid UTF-8 in the table: JSON escapes it, and reading replaces it.
    sink.text(JSON.stringify(cells))
    const bytes = sink.view(start)
    bytes.writeUInt32LE(bytes.length, 0)
    bytes.writeUInt32LE(urlBytes, 8)
  }
}

export function* itemsIn(rows: Buffer): Generator<ItemRowView> {
  for (let at = 0; at < rows.length; ) {
    const end = at + rows.readUInt32LE(at)
    const urlStart = at + FIXED_BYTES
    const urlEnd = urlStart + rows.readUInt32LE(at + 8)
    const cells = JSON.parse(rows.toString('utf8', urlEnd, end)) as StoredCell[]
    yield { bytes: rows, urlStart, urlEnd, row: rows.readUInt32LE(at + 4), cells }
    at = end
  }
}
