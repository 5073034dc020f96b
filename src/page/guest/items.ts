/** Rows that a guest extracts: their types, their schema, and the bounds of both. */
import { ITEM_COLUMNS, ITEM_FIELD_CHARS, ITEM_FIELDS, ITEMS_PER_PAGE } from '../limits.js'

export type ItemValue =
  | string
  | number
  | boolean
  | null
  | readonly unknown[]
  | { readonly [key: string]: unknown }

/** A row as `extract` returns it. */
export type ItemRow = Readonly<Record<string, ItemValue | undefined>>

/** `json`: anything else, kept as text. */
export type ItemType = 'string' | 'number' | 'boolean' | 'json'

interface ItemField {
  readonly name: string
  readonly type: ItemType
  readonly required: boolean
}

export type ItemSchema = readonly ItemField[]

/** A value with its column; `value` of the type `json` is JSON text. */
interface ItemCell {
  readonly name: string
  readonly type: ItemType
  readonly value: string | number | boolean | null
}

/** A checked row: every column of the schema, or those that the row has. */
export type Item = readonly ItemCell[]

/** Columns that every row has; the names of others must differ from them. */
const ITEM_KEYS = ['page_url', 'page_row'] as const

/** A JSON schema of an object, as far as it names fields and their types. Throws a TypeError. */
function readSchema(value: unknown): ItemSchema | null {
  if (value === undefined || value === null) return null
  const { properties, required = [] } = objectIn(value, 'schema')
  const names = Object.entries(objectIn(properties, 'schema.properties'))
  if (!Array.isArray(required)) throw new TypeError('schema.required is not a list of names')
  const schema = names.map(([name, field]) => ({
    name,
    type: typeIn(objectIn(field, `schema.properties.${name}`).type),
    required: required.includes(name),
  }))
  const wrong = wrongNames(schema.map(({ name }) => name))
  if (wrong !== null) throw new TypeError(`schema: ${wrong}`)
  return schema
}

function objectIn(value: unknown, name: string): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Readonly<Record<string, unknown>>
  throw new TypeError(`${name} is not an object of JSON schema`)
}

function typeIn(type: unknown): ItemType {
  if (type === 'string' || type === 'number' || type === 'boolean') return type
  return type === 'integer' ? 'number' : 'json'
}

/** Checks rows that come from a guest. Without a schema, the number of different columns is bounded too. */
export class ItemCheck {
  readonly schema: ItemSchema | null
  readonly #names = new Set<string>()

  /** Throws a TypeError if the schema is not one. */
  constructor(schema: unknown) {
    this.schema = readSchema(schema)
  }

  /** The checked rows, or in one line what is wrong with them. */
  check(rows: unknown): readonly Item[] | string {
    const items = checkItems(rows, this.schema)
    if (typeof items === 'string' || this.schema !== null) return items
    const names = items.flatMap(item => item.map(({ name }) => name.toLowerCase()))
    const added = new Set(names.filter(name => !this.#names.has(name)))
    if (this.#names.size + added.size > ITEM_COLUMNS)
      return `more than ${ITEM_COLUMNS} different fields in all rows so far`
    for (const name of added) this.#names.add(name)
    return items
  }
}

function checkItems(rows: unknown, schema: ItemSchema | null): readonly Item[] | string {
  if (rows === undefined || rows === null) return []
  const list = Array.isArray(rows) ? rows : [rows]
  if (list.length > ITEMS_PER_PAGE) return `${list.length} rows; a page may have ${ITEMS_PER_PAGE}`
  const items: Item[] = []
  for (const [i, row] of list.entries()) {
    const item = schema === null ? inferred(row) : declared(row, schema)
    if (typeof item === 'string') return `row ${i + 1}: ${item}`
    items.push(item)
  }
  return items
}

function inferred(row: unknown): Item | string {
  if (!isRecord(row)) return 'it is not an object'
  const fields = Object.entries(row).filter(([, value]) => value !== undefined)
  const wrong = wrongNames(fields.map(([name]) => name))
  if (wrong !== null) return wrong
  return fields.map(([name, value]) => cellOf(name, typeOf(value), value))
}

function declared(row: unknown, schema: ItemSchema): Item | string {
  if (!isRecord(row)) return 'it is not an object'
  const names = new Set(schema.map(({ name }) => name))
  const unknown = Object.keys(row).find(name => row[name] !== undefined && !names.has(name))
  if (unknown !== undefined) return `the schema has no ${shown(unknown)}`
  const item: ItemCell[] = []
  for (const { name, type, required } of schema) {
    const value = row[name] ?? null
    if (value === null && required) return `${shown(name)} is missing`
    if (value !== null && type !== 'json' && typeOf(value) !== type)
      return `${shown(name)} is not a ${type}, as the schema says`
    item.push(cellOf(name, type, value))
  }
  return item
}

function cellOf(name: string, type: ItemType, value: unknown): ItemCell {
  if (value === null) return { name, type, value: null }
  return { name, type, value: type === 'json' ? JSON.stringify(value) : (value as string | number | boolean) }
}

function typeOf(value: unknown): ItemType {
  if (typeof value === 'number') return Number.isFinite(value) ? 'number' : 'json'
  if (typeof value === 'string') return 'string'
  return typeof value === 'boolean' ? 'boolean' : 'json'
}

function isRecord(row: unknown): row is Readonly<Record<string, unknown>> {
  return typeof row === 'object' && row !== null && !Array.isArray(row)
}

function wrongNames(names: readonly string[]): string | null {
  if (names.length > ITEM_FIELDS) return `${names.length} fields; a row may have ${ITEM_FIELDS}`
  const lower = new Set<string>(ITEM_KEYS)
  for (const name of names) {
    if (name === '' || name.length > ITEM_FIELD_CHARS || /\p{Cc}/u.test(name))
      return `a field needs a name of 1 to ${ITEM_FIELD_CHARS} characters`
    // SQL does not tell upper from lower case.
    if (lower.has(name.toLowerCase())) return `the name ${shown(name)} is used twice, or by orbweaver`
    lower.add(name.toLowerCase())
  }
  return null
}

function shown(name: string): string {
  return JSON.stringify(name.slice(0, ITEM_FIELD_CHARS))
}
