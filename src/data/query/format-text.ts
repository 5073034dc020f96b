/** Results as CSV and JSON, piece by piece: a result of any size passes through without being held. */
import type { Result } from './tables.js'
import { textOf, type Value } from './values.js'

/** Pieces grow to this before they are handed on: few writes, and no string that grows with the result. */
const PIECE_CHARS = 64 * 1024

/** RFC 4180. NULL is an empty field, empty text a quoted one. */
export async function* csvPieces(result: Result): AsyncGenerator<string> {
  let piece = csvLine(result.columns)
  for await (const rows of result.batches()) {
    for (const row of rows) {
      piece += csvLine(row)
      if (piece.length < PIECE_CHARS) continue
      yield piece
      piece = ''
    }
  }
  yield piece
}

/** One array of objects, a row a line. */
export async function* jsonPieces(result: Result): AsyncGenerator<string> {
  let piece = '['
  let separator = '\n'
  for await (const rows of result.batches()) {
    for (const row of rows) {
      piece += separator + jsonRow(result.columns, row)
      separator = ',\n'
      if (piece.length < PIECE_CHARS) continue
      yield piece
      piece = ''
    }
  }
  yield `${piece}${separator === '\n' ? '' : '\n'}]\n`
}

/** One object per line. */
export async function* jsonLines(result: Result): AsyncGenerator<string> {
  let piece = ''
  for await (const rows of result.batches()) {
    for (const row of rows) {
      piece += `${jsonRow(result.columns, row)}\n`
      if (piece.length < PIECE_CHARS) continue
      yield piece
      piece = ''
    }
  }
  yield piece
}

function jsonRow(columns: readonly string[], row: readonly Value[]): string {
  let text = '{'
  for (let i = 0; i < columns.length; i++)
    text += `${i === 0 ? '' : ','}${JSON.stringify(columns[i])}:${JSON.stringify(row[i])}`
  return `${text}}`
}

function csvLine(values: readonly Value[]): string {
  return `${values.map(csvField).join(',')}\r\n`
}

function csvField(value: Value): string {
  const text = textOf(value)
  if (value !== null && (text === '' || /[",\r\n]/.test(text))) return `"${text.replaceAll('"', '""')}"`
  return text
}
