/** A result as aligned columns that fit the terminal, or as one block per row where they cannot. */
import { number, plural } from '../../model/index.js'
import { LONGEST_CELL_CHARS } from '../limits.js'
import { cutTo, printable, widthOf } from './text-width.js'
import { textOf, type Value } from './values.js'

const GAP = '  '
/** Narrower columns would be illegible. */
const NARROWEST = 8

/** `more` says that the result goes on after `rows`; `width` is the terminal's. */
export function formatTable(
  columns: readonly string[],
  rows: readonly (readonly Value[])[],
  more: boolean,
  width: number,
): string {
  const cells = rows.map(row => row.map(cellText))
  const names = columns.map(cellText)
  const fits = columns.length * (NARROWEST + GAP.length) - GAP.length <= width
  const body = fits
    ? alignedLines(names, cells, rows, width)
    : names.length === 0
      ? []
      : blockLines(names, cells, width)
  return `${[...body, countLine(rows.length, more)].join('\n')}\n`
}

function cellText(value: Value): string {
  const text = textOf(value)
  return printable(text.length > LONGEST_CELL_CHARS ? text.slice(0, LONGEST_CELL_CHARS) : text)
}

function alignedLines(
  names: readonly string[],
  cells: readonly (readonly string[])[],
  rows: readonly (readonly Value[])[],
  width: number,
): string[] {
  const natural = names.map((name, i) =>
    cells.reduce((max, row) => Math.max(max, widthOf(row[i])), widthOf(name)),
  )
  const widths = shrink(natural, width - GAP.length * (names.length - 1))
  const isNumeric = (i: number) => rows.every(row => row[i] === null || typeof row[i] === 'number')
  const toRight = names.map((_, i) => rows.length > 0 && isNumeric(i))
  const line = (texts: readonly string[]) =>
    texts
      .map((text, i) => pad(cutTo(text, widths[i]), widths[i], toRight[i]))
      .join(GAP)
      .trimEnd()
  return [line(names), widths.map(size => '─'.repeat(size)).join(GAP), ...cells.map(line)]
}

/** Takes room from the widest columns until all fit into `total`. */
function shrink(natural: readonly number[], total: number): number[] {
  const widths = [...natural]
  let excess = widths.reduce((sum, width) => sum + width, 0) - total
  while (excess > 0) {
    const widest = Math.max(...widths)
    const second = Math.max(NARROWEST, ...widths.filter(width => width < widest))
    const count = widths.filter(width => width === widest).length
    const step = Math.min(widest - second, Math.ceil(excess / count))
    if (step <= 0) break
    for (let i = 0; i < widths.length && excess > 0; i++) {
      if (widths[i] !== widest) continue
      const cut = Math.min(step, excess)
      widths[i] -= cut
      excess -= cut
    }
  }
  return widths
}

function pad(text: string, width: number, toRight: boolean): string {
  const room = ' '.repeat(Math.max(0, width - widthOf(text)))
  return toRight ? room + text : text + room
}

function blockLines(
  names: readonly string[],
  cells: readonly (readonly string[])[],
  width: number,
): string[] {
  const nameWidth = Math.max(...names.map(widthOf))
  const valueWidth = Math.max(20, width - nameWidth - GAP.length)
  return cells.flatMap((row, i) => [
    `── ${i + 1} ${'─'.repeat(Math.max(0, Math.min(width, 60) - 5))}`,
    ...row.map((cell, j) => `${pad(names[j], nameWidth, false)}${GAP}${cutTo(cell, valueWidth)}`.trimEnd()),
  ])
}

function countLine(count: number, more: boolean): string {
  if (more) return `(the first ${number(count)} rows; --format csv or json gives all of them)`
  return `(${plural(count, 'row')})`
}
