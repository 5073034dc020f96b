/**
 * Tables as Markdown with even columns: the same text is read in a terminal and in
 * docs/explanation/experiments/.
 */

export interface Table {
  readonly title: string
  readonly head: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

/** The first column is set to the left, the others, which are figures, to the right. */
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
