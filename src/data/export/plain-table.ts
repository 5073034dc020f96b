/** Finds the tables that hold data: rows of short cells, not the layout of a page. */
import { type Element, type ParentNode, walk } from './html-tree.js'

/** Elements that do not fit into a cell of a Markdown table. */
const TOO_MUCH = new Set(
  'p ul ol dl pre blockquote h1 h2 h3 h4 h5 h6 form figure article section hr'.split(' '),
)
/** Cells of a row beyond this are dropped: a real table has fewer. */
const COLUMNS = 50

/** The tables of a page that can be written as such: without nested tables or blocks, found in one walk. */
export function plainTables(document: ParentNode): ReadonlySet<Element> {
  const plain = new Set<Element>()
  const open: { readonly table: Element; isPlain: boolean }[] = []
  walk(document, {
    enter: element => {
      const innermost = open[open.length - 1]
      if (innermost && (element.tagName === 'table' || TOO_MUCH.has(element.tagName)))
        innermost.isPlain = false
      if (element.tagName === 'table') open.push({ table: element, isPlain: true })
      return true
    },
    leave: element => {
      if (element.tagName !== 'table') return
      const ended = open.pop()
      if (ended?.isPlain) plain.add(ended.table)
    },
  })
  return plain
}

/** The cells of one table, and the table as Markdown. The first row is the head, which Markdown requires. */
export class TableText {
  readonly #rows: string[][] = []

  startRow(): void {
    this.#rows.push([])
  }

  addCell(text: string): void {
    if (this.#rows.length === 0) this.startRow()
    const row = this.#rows[this.#rows.length - 1]
    if (row.length < COLUMNS) row.push(text.replaceAll(/\s+/g, ' ').trim().replaceAll('|', '\\|'))
  }

  toString(): string {
    const rows = this.#rows.filter(row => row.some(cell => cell !== ''))
    const width = rows.reduce((max, row) => Math.max(max, row.length), 0)
    if (width === 0) return ''
    // A table with one column reads better as a list.
    if (width === 1) return rows.map(row => `- ${row[0]}`).join('\n')
    const [head, ...body] = rows.map(row => line([...row, ...Array<string>(width - row.length).fill('')]))
    return [head, line(Array<string>(width).fill('---')), ...body].join('\n')
  }
}

function line(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`
}
