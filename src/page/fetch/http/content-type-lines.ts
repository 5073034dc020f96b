/**
 * Combines several Content-Type lines as browsers do (Fetch, "extract a MIME type"): the last valid type
 * wins, with the charset of earlier lines of that type. Some servers add a line to that of the application
 * behind them.
 */
const MEMBERS = /(?:[^,"]+|"[^"]*"?)+/g
const TYPE = /^\s*([\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+)\s*(?:;|$)/
const CHARSET = /;\s*charset\s*=\s*("[^"]*"|[^\s;]+)/i

export function effectiveType(lines: readonly string[]): string {
  let found = ''
  let essence = ''
  let charset = ''
  for (const member of lines.flatMap(line => line.match(MEMBERS) ?? [])) {
    const type = TYPE.exec(member)?.[1]?.toLowerCase()
    if (type === undefined || type === '*/*') continue
    const own = CHARSET.exec(member)?.[1] ?? ''
    charset = own === '' && type === essence ? charset : own
    essence = type
    found = own === '' && charset !== '' ? `${member.trim()}; charset=${charset}` : member.trim()
  }
  return found === '' ? (lines[0] ?? '') : found
}
