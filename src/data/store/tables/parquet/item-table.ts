/**
 * The `items` table: rows that a guest extracted. Its columns are those of the rows, so they are collected
 * before the first row is written. A column whose values have several types is text.
 */
import type { ItemType } from '../../../../page/guest/index.js'
import { itemsIn, type Segment } from '../index.js'
import { Column, type ColumnSpec } from './column.js'

const KEY_COLUMNS: readonly ColumnSpec[] = [
  { name: 'page_url', kind: 'dictionary', required: true },
  { name: 'page_row', kind: 'int32', required: true },
]

const KINDS = { string: 'text', number: 'double', boolean: 'boolean', json: 'text' } as const

interface ItemColumn {
  readonly name: string
  readonly type: ItemType
}

/** By name in lower case: SQL does not tell the cases apart. */
type ItemColumns = ReadonlyMap<string, ItemColumn>

export function itemColumnsIn(segments: Iterable<Segment>): ItemColumns {
  const columns = new Map<string, ItemColumn>()
  for (const { rows } of segments)
    for (const { cells } of itemsIn(rows))
      for (const [name, type, value] of cells) note(columns, name, type, value)
  return columns
}

function note(columns: Map<string, ItemColumn>, name: string, type: ItemType, value: unknown): void {
  const key = name.toLowerCase()
  const known = columns.get(key)
  if (known === undefined) columns.set(key, { name, type })
  // A null has the type of its schema, or none.
  else if (value !== null && known.type !== type)
    columns.set(key, { name: known.name, type: joined(known.type, type) })
}

function joined(a: ItemType, b: ItemType): ItemType {
  return a === 'json' || b === 'json' ? 'json' : 'string'
}

export class ItemTable {
  readonly columns: readonly Column[]
  readonly isComplete = true
  readonly #columns: ItemColumns
  readonly #places: ReadonlyMap<string, number>

  constructor(columns: ItemColumns) {
    this.#columns = columns
    const specs = [...columns.values()].map(({ name, type }): ColumnSpec => ({ name, kind: KINDS[type] }))
    this.columns = [...KEY_COLUMNS, ...specs].map(spec => new Column(spec))
    this.#places = new Map([...columns.keys()].map((key, i) => [key, KEY_COLUMNS.length + i]))
  }

  /** Returns the number of rows. */
  addSegment(segment: Segment): number {
    let rows = 0
    for (const { bytes, urlStart, urlEnd, row, cells } of itemsIn(segment.rows)) {
      this.columns[0].addBytes(bytes, urlStart, urlEnd)
      this.columns[1].addNumber(row)
      const values = new Map(
        cells.map(([name, type, value]) => [name.toLowerCase(), { type, value }] as const),
      )
      for (const [key, { type }] of this.#columns) {
        const cell = values.get(key)
        const column = this.columns[this.#places.get(key)!]
        if (cell === undefined || cell.value === null) column.addNull()
        else add(column, type, cell.type, cell.value)
      }
      rows++
    }
    return rows
  }
}

function add(column: Column, type: ItemType, from: ItemType, value: string | number | boolean): void {
  if (type === 'number' || type === 'boolean') {
    column.addNumber(Number(value))
    return
  }
  const text = type === 'json' && from !== 'json' ? JSON.stringify(value) : String(value)
  const bytes = Buffer.from(text)
  column.addBytes(bytes, 0, bytes.length)
}
