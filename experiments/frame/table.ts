/** Markdown tables with even columns, for terminals and docs/explanation/experiments/. */

export interface Table {
  readonly title: string
  readonly head: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

/** A heading, and the text of the column for one row. */
export type Column<Row> = readonly [head: string, cell: (row: Row) => string]

export function tableOf<Row>(title: string, rows: readonly Row[], columns: readonly Column<Row>[]): Table {
  return {
    title,
    head: columns.map(([head]) => head),
    rows: rows.map(row => columns.map(([, cell]) => cell(row))),
  }
}

/** The first column is aligned to the left, the others to the right. */
export function tableLines({ title, head, rows }: Table): string[] {
  const widths = head.map((name, column) =>
    Math.max(3, name.length, ...rows.map(row => (row[column] ?? '').length)),
  )
  const line = (cells: readonly string[]) =>
    `| ${widths.map((width, column) => pad(cells[column] ?? '', width, column)).join(' | ')} |`
  const rule = widths.map((width, column) => (column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`))
  return [`### ${title}`, '', line(head), line(rule), ...rows.map(line)]
}

function pad(cell: string, width: number, column: number): string {
  return column === 0 ? cell.padEnd(width) : cell.padStart(width)
}

export function percent(value: number): string {
  return `${value.toFixed(2)} %`
}

/** Values in per cent, such as the imbalances of bytes and pages, in one cell. */
export function slashed(values: readonly number[]): string {
  return values.map(value => value.toFixed(2)).join(' / ')
}

export function thousands(value: number): string {
  return (value / 1_000).toFixed(1)
}
