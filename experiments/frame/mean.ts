export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

/**
 * Averages the numeric fields of rows. A field is null if one row has null; other fields are those of the
 * first.
 */
export function meanRow<Row extends object>(rows: readonly Row[]): Row {
  const [first] = rows
  const entries = Object.keys(first).map(name => {
    const values = rows.map(row => row[name as keyof Row] as unknown)
    if (values.every(value => typeof value === 'number')) return [name, mean(values)]
    return [name, values.find(value => value === null) === null ? null : values[0]]
  })
  return Object.fromEntries(entries) as Row
}
