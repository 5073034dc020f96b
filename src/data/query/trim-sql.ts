/** Removes space, comments, semicolons and a byte order mark around an SQL statement. */

/** Space, a comment or a semicolon; text in any kind of quotes; a name; else one character. */
const TOKEN =
  /(?<around>\s+|--[^\n\r]*|;)|(?<comment>\/\*)|e'(?:[^'\\]+|\\.|'')*'?|'[^']*'?|"[^"]*"?|\$(?<tag>(?:[\p{L}_][\p{L}\w]*)?)\$.*?(?:\$\k<tag>\$|$)|[\p{L}_][\p{L}\w$]*|./isuy

/** Separators between statements stay, so that DuckDB can count the statements. */
export function trimSql(sql: string): string {
  let start = sql.length
  let end = 0
  for (let at = 0; at < sql.length; ) {
    TOKEN.lastIndex = at
    const { around, comment } = TOKEN.exec(sql)?.groups ?? {}
    const next = comment === undefined ? TOKEN.lastIndex : commentEnd(sql, at)
    // A comment without an end stays: DuckDB reports the mistake.
    const isAround = around !== undefined || (comment !== undefined && next !== null)
    if (!isAround) {
      start = Math.min(start, at)
      end = next ?? sql.length
    }
    at = next ?? sql.length
  }
  return sql.slice(start, end)
}

/** The end of the (possibly nested) comment at `start`; null when it is not closed. */
function commentEnd(sql: string, start: number): number | null {
  const mark = /\/\*|\*\//g
  mark.lastIndex = start
  let depth = 0
  for (let found = mark.exec(sql); found; found = mark.exec(sql)) {
    depth += found[0] === '/*' ? 1 : -1
    if (depth === 0) return mark.lastIndex
  }
  return null
}
