/**
 * A call of the port as the statements it needs, written once for both SQL engines. SQLite runs the steps at
 * once inside its thread, PostgreSQL over the network. The statements are PostgreSQL's; `inSqlite` translates
 * them when SQLite prepares them.
 */
export type Row = readonly (string | number | boolean | null | Buffer)[]
export type SqlValue = string | number | null | Uint8Array | readonly string[] | readonly number[]

/** A statement that changes rows answers with none unless it has a RETURNING clause. */
type Statement = readonly [sql: string, ...values: SqlValue[]]
export type Steps<T> = Generator<Statement, T, readonly Row[]>

/** Rows as one JSON value: `json_to_recordset($1::json) AS name (column type, ...)`. */
const RECORDS = /\bjson_to_recordset\(\$(\d+)::json\) AS (\w+) \(([^)]*)\)/g

const TRANSLATIONS: readonly (readonly [RegExp, string])[] = [
  [/\bunnest\(\$(\d+)::\w+\[\]\) AS (\w+)/g, '(SELECT value AS $2 FROM json_each(?$1)) AS $2'],
  [/= ANY\(\$(\d+)::\w+\[\]\)/g, 'IN (SELECT value FROM json_each(?$1))'],
  [/::\w+/g, ''],
  [/\$(\d+)/g, '?$1'],
  [/\bgreatest\(/g, 'max('],
  [/\bleast\(/g, 'min('],
  [
    /split_part\(([\w.]+), '#', 1\)/g,
    "CASE instr($1, '#') WHEN 0 THEN $1 ELSE substr($1, 1, instr($1, '#') - 1) END",
  ],
  [/\bstrpos\(/g, 'instr('],
  [/ COLLATE "C"/g, ''],
  [/ FOR (?:NO KEY |KEY )?(?:UPDATE|SHARE)(?: OF \w+)?/g, ''],
]

/** Translates a statement for SQLite, which has one writer and so needs no row locks. */
export function inSqlite(sql: string): string {
  const text = sql.replaceAll(RECORDS, (_, n: string, name: string, columns: string) => {
    const fields = columns.split(',').map(column => column.trim().split(' ')[0])
    const values = fields.map(field => `value ->> '${field}' AS ${field}`)
    return `(SELECT ${values.join(', ')} FROM json_each(?${n})) AS ${name}`
  })
  return TRANSLATIONS.reduce((text, [from, to]) => text.replaceAll(from, to), text)
}

/** A list is one value: SQLite reads it as JSON, PostgreSQL as an array. */
export function isList(value: SqlValue): value is readonly string[] | readonly number[] {
  return Array.isArray(value)
}
