/**
 * The target of `<meta http-equiv=refresh content="5; url=next.html">`, by the steps of the HTML standard;
 * null if the value is invalid or only a delay. No regular expression: a value of 64 KB could make it
 * backtrack.
 */
export function refreshTarget(content: string): string | null {
  let i = skipSpace(content, 0)
  if (!isDigit(content, i) && content[i] !== '.') return null
  while (isDigit(content, i) || content[i] === '.') i++
  const delayEnd = i
  i = skipSpace(content, i)
  if (content[i] === ';' || content[i] === ',') i = skipSpace(content, i + 1)
  else if (i === delayEnd) return null
  if (i >= content.length) return null
  return unquote(content, afterUrlSign(content, i))
}

/** The position after `url =`, if that is at `from`. */
function afterUrlSign(content: string, from: number): number {
  if (content.slice(from, from + 3).toLowerCase() !== 'url') return from
  const sign = skipSpace(content, from + 3)
  return content[sign] === '=' ? skipSpace(content, sign + 1) : from
}

function unquote(content: string, from: number): string {
  const quote = content[from]
  if (quote !== '"' && quote !== "'") return content.slice(from)
  const end = content.indexOf(quote, from + 1)
  return end < 0 ? content.slice(from + 1) : content.slice(from + 1, end)
}

function skipSpace(text: string, from: number): number {
  let i = from
  while (i < text.length && '\t\n\f\r '.includes(text[i]!)) i++
  return i
}

function isDigit(text: string, i: number): boolean {
  const c = text.charCodeAt(i)
  return c >= 0x30 && c <= 0x39
}
