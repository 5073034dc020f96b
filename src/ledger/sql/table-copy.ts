/**
 * The copy of a ledger from one engine to the other. Both have the same schema, so rows are copied unchanged,
 * in the order of their keys and in batches. The target makes what only its engine has: sequences, positions
 * of inbox rows, the era.
 */
export type CopiedValue = string | number | null | Buffer
export type CopiedRow = readonly CopiedValue[]

export interface CopiedTable {
  readonly name: string
  readonly key: readonly string[]
  /** Rows at a time: journals and robots.txt files can be large. */
  readonly batch: number
}

const SMALL = 1_000
const LARGE = 50

const COPIED_TABLES: readonly CopiedTable[] = [
  { name: 'crawl', key: ['id'], batch: 1 },
  { name: 'setting', key: ['name'], batch: LARGE },
  { name: 'agent', key: ['incarnation'], batch: SMALL },
  { name: 'cell', key: ['cell'], batch: SMALL },
  { name: 'turn', key: ['grp'], batch: SMALL },
  { name: 'inbox', key: ['cell', 'position'], batch: SMALL },
  { name: 'origin', key: ['cell', 'origin'], batch: LARGE },
  { name: 'pack', key: ['id'], batch: SMALL },
  { name: 'pack_cell', key: ['cell', 'number'], batch: LARGE },
  { name: 'cell_outcome', key: ['cell', 'code'], batch: SMALL },
  { name: 'meta_info', key: ['cell', 'url'], batch: SMALL },
  { name: 'file', key: ['name'], batch: SMALL },
  { name: 'address', key: ['address', 'site'], batch: SMALL },
  { name: 'lane_work', key: ['agent', 'lane'], batch: SMALL },
  { name: 'heard', key: ['number'], batch: LARGE },
]

/** A ledger that is not in use. */
export interface LedgerSource {
  /** The columns that the engines share, in the order of the rows. */
  columns(table: CopiedTable): Promise<readonly string[]>
  /** The next rows after the key `after`; none at the end. */
  read(table: CopiedTable, columns: readonly string[], after: CopiedRow | null): Promise<readonly CopiedRow[]>
}

/** A ledger that is being made; it cannot be opened before `seal`. */
export interface LedgerTarget {
  columns(table: CopiedTable): Promise<readonly string[]>
  write(table: CopiedTable, columns: readonly string[], rows: readonly CopiedRow[]): Promise<void>
  /** Ends the copy: derives this engine's own data from the rows, and closes all incarnations. */
  seal(): Promise<void>
}

export async function copyTables(source: LedgerSource, target: LedgerTarget): Promise<number> {
  let copied = 0
  for (const table of COPIED_TABLES) {
    const known = new Set(await target.columns(table))
    const columns = (await source.columns(table)).filter(name => known.has(name))
    const keyOf = (row: CopiedRow) => table.key.map(name => row[columns.indexOf(name)])
    for (let after: CopiedRow | null = null; ; ) {
      const rows: readonly CopiedRow[] = await source.read(table, columns, after)
      if (rows.length === 0) break
      await target.write(table, columns, rows)
      copied += rows.length
      after = keyOf(rows[rows.length - 1])
    }
  }
  await target.seal()
  return copied
}

/** The statement of `LedgerSource.read`. */
export function readSql(
  { name, key, batch }: CopiedTable,
  columns: readonly string[],
  isFirst: boolean,
): string {
  const rest = isFirst ? '' : `WHERE (${key.join(', ')}) > (${key.map((_, i) => `$${i + 1}`).join(', ')})`
  return `SELECT ${columns.join(', ')} FROM ${name} ${rest} ORDER BY ${key.join(', ')} LIMIT ${batch}`
}
