/** Readers of common values: the value as typed in, its meaning or a TypeError of one line out. */

import { compilePattern } from '../model/url/index.js'

type Reader<T> = (value: unknown, name: string) => T

const SIZE_UNITS: Readonly<Record<string, number>> = {
  '': 1,
  k: 1e3,
  m: 1e6,
  g: 1e9,
  ki: 1024,
  mi: 1024 ** 2,
  gi: 1024 ** 3,
}

export const text: Reader<string> = (value, name) => {
  if (typeof value === 'string' && value !== '') return value
  throw new TypeError(`${name} must be a text`)
}

function number(value: unknown, name: string): number {
  const read = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  if (typeof read === 'number' && Number.isFinite(read)) return read
  throw new TypeError(`${name} must be a number`)
}

export function count(min: number, max = Number.MAX_SAFE_INTEGER): Reader<number> {
  return (value, name) => {
    const read = number(value, name)
    if (!Number.isInteger(read)) throw new TypeError(`${name} must be a whole number`)
    if (read < min) throw new TypeError(`${name} must be at least ${min}`)
    if (read > max) throw new TypeError(`${name} must be at most ${max}`)
    return read
  }
}

export const positive: Reader<number> = (value, name) => {
  const read = number(value, name)
  if (read > 0) return read
  throw new TypeError(`${name} must be more than 0`)
}

/** Bytes, also as `500k`, `20M`, `1Gi`. */
export const bytes: Reader<number> = (value, name) => {
  const match = /^\s*([\d.]+)\s*([kmg]i?)?b?\s*$/i.exec(String(value))
  const read = match ? Number(match[1]) * SIZE_UNITS[(match[2] ?? '').toLowerCase()] : Number.NaN
  if (read > 0) return read
  throw new TypeError(`${name} must be a size such as 500k, 20M or 1Gi`)
}

export const flag: Reader<boolean> = (value, name) => {
  if (value === true || value === 'true' || value === '1') return true
  if (value === false || value === 'false' || value === '0') return false
  throw new TypeError(`${name} must be true or false`)
}

export function choice<const T extends string>(...options: readonly T[]): Reader<T> {
  return (value, name) => {
    const found = options.find(option => option === value)
    if (found !== undefined) return found
    throw new TypeError(`${name} must be one of ${options.join(', ')}`)
  }
}

export const pattern: Reader<string> = (value, name) => {
  const source = text(value, name)
  const compiled = compilePattern(source)
  if (typeof compiled === 'string') throw new TypeError(`${name}: ${compiled}`)
  return source
}

/** An array, or text with commas; empty if absent. */
export function list<T>(item: Reader<T>): Reader<readonly T[]> {
  return (value, name) => {
    if (value === undefined) return []
    const items = typeof value === 'string' ? value.split(',').filter(part => part !== '') : value
    if (!Array.isArray(items)) throw new TypeError(`${name} must be a list`)
    return items.map(entry => item(entry, name))
  }
}

export function optional<T>(reader: Reader<T>): Reader<T | undefined> {
  return (value, name) => (value === undefined ? undefined : reader(value, name))
}

export function withDefault<T>(reader: Reader<T>, fallback: T): Reader<T> {
  return (value, name) => (value === undefined ? fallback : reader(value, name))
}
