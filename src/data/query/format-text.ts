/** Results as CSV and JSON, piece by piece, so that memory does not grow with the result. */
import type { Result } from './row-stream.js'
import { textOf, type Value } from './values.js'

/** A piece of at least this length is passed on: few writes, and no string as long as the result. */
const PIECE_CHARS = 64 * 1024

type Row = readonly Value[]

/** RFC 4180. NULL is an empty field, empty text a quoted one. */
export function csvPieces(result: Result): AsyncGenerator<string> {
  return pieces(result, csvLine, csvLine(result.columns))
}

/** One array of objects, a row a line. */
export function jsonPieces(result: Result): AsyncGenerator<string> {
  let separator = '\n'
  const line = (row: Row) => {
    const text = separator + jsonRow(result.columns, row)
    separator = ',\n'
    return text
  }
  return pieces(result, line, '[', () => `${separator === '\n' ? '' : '\n'}]\n`)
}

/** One object per line. */
export function jsonLines(result: Result): AsyncGenerator<string> {
  return pieces(result, row => `${jsonRow(result.columns, row)}\n`)
}

async function* pieces(
  result: Result,
  line: (row: Row) => string,
  start = '',
  end = () => '',
): AsyncGenerator<string> {
  let piece = start
  for await (const rows of result.batches())
    for (const row of rows) {
      piece += line(row)
      if (piece.length < PIECE_CHARS) continue
      yield piece
      piece = ''
    }
  yield piece + end()
}

function jsonRow(columns: readonly string[], row: Row): string {
  let text = '{'
  for (let i = 0; i < columns.length; i++)
    text += `${i === 0 ? '' : ','}${JSON.stringify(columns[i])}:${JSON.stringify(row[i])}`
  return `${text}}`
}

function csvLine(values: Row): string {
  return `${values.map(csvField).join(',')}\r\n`
}

function csvField(value: Value): string {
  const text = textOf(value)
  if (value !== null && (text === '' || /[",\r\n]/.test(text))) return `"${text.replaceAll('"', '""')}"`
  return text
}
