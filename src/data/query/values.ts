/** DuckDB's values as plain ones that JSON, CSV and a terminal can show. */
import {
  DuckDBArrayValue,
  DuckDBBlobValue,
  DuckDBDecimalValue,
  DuckDBListValue,
  DuckDBMapValue,
  DuckDBStructValue,
  DuckDBTimestampMillisecondsValue,
  DuckDBTimestampNanosecondsValue,
  DuckDBTimestampSecondsValue,
  DuckDBTimestampTZValue,
  DuckDBTimestampValue,
  DuckDBUnionValue,
  type DuckDBValue,
  DuckDBVariantValue,
} from '@duckdb/node-api'

/** A cell of a result. Integers that a number cannot hold exactly are text. */
export type Value = null | boolean | number | string | readonly Value[] | { readonly [key: string]: Value }

export function plainValue(value: DuckDBValue): Value {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number') return value
  if (typeof value === 'bigint') return exact(value) ?? String(value)
  const micros = microsOf(value)
  if (micros !== null) return isoTime(micros) ?? String(value)
  if (value instanceof DuckDBDecimalValue)
    return exact(value.value) === null ? String(value) : value.toDouble()
  return nestedValue(value) ?? String(value)
}

function nestedValue(value: object): Value {
  if (value instanceof DuckDBListValue || value instanceof DuckDBArrayValue)
    return value.items.map(plainValue)
  if (value instanceof DuckDBStructValue)
    return Object.fromEntries(Object.entries(value.entries).map(([key, item]) => [key, plainValue(item)]))
  if (value instanceof DuckDBMapValue)
    return Object.fromEntries(
      value.entries.map(entry => [textOf(plainValue(entry.key)), plainValue(entry.value)]),
    )
  if (value instanceof DuckDBUnionValue || value instanceof DuckDBVariantValue) return plainValue(value.value)
  if (value instanceof DuckDBBlobValue) return Buffer.from(value.bytes).toString('base64')
  return null
}

/** One value as text; empty for NULL. */
export function textOf(value: Value): string {
  if (value === null) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

function exact(value: bigint): number | null {
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : null
}

function microsOf(value: object): bigint | null {
  if (value instanceof DuckDBTimestampValue || value instanceof DuckDBTimestampTZValue) return value.micros
  if (value instanceof DuckDBTimestampMillisecondsValue) return value.millis * 1_000n
  if (value instanceof DuckDBTimestampSecondsValue) return value.seconds * 1_000_000n
  if (value instanceof DuckDBTimestampNanosecondsValue) return value.nanos / 1_000n
  return null
}

/** ISO 8601 in UTC with milliseconds, or microseconds where there are any; null if out of range. */
function isoTime(micros: bigint): string | null {
  const rest = ((micros % 1_000n) + 1_000n) % 1_000n
  const date = new Date(Number((micros - rest) / 1_000n))
  if (Number.isNaN(date.getTime())) return null
  const iso = date.toISOString()
  return rest === 0n ? iso : iso.replace('Z', `${String(rest).padStart(3, '0')}Z`)
}
