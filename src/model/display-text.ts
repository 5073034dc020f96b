/** What is shown to people or kept in logs: it may quote servers and URLs. */
import { LIMITS } from './limits.js'

/** Parameters of a query whose values let somebody in. */
const SECRET =
  /([?&;][^=&#\s]*(?:token|secret|passw|pwd|auth|api_?-?key|signature|credential|session|jwt)[^=&#\s]*=)[^&#?;\s"'<>]+/gi

/** Short, without what a terminal would obey, and without secrets. */
export function forDisplay(text: string): string {
  const short = text.length > LIMITS.detailChars ? `${text.slice(0, LIMITS.detailChars)}…` : text
  return withoutSecrets(withoutControls(short))
}

/** Without what a terminal would obey. */
export function withoutControls(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}]+/gu, ' ')
}

/** The same for several lines: their ends and tabs stay. */
export function forTerminal(text: string): string {
  return text.replaceAll(/\r(?!\n)|(?![\t\n\r])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ')
}

/**
 * JSON as it means the same and a terminal obeys nothing: JSON.stringify escapes only the oldest of these.
 */
export function jsonForTerminal(json: string): string {
  return json.replaceAll(/(?![\t\n\r])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, escaped)
}

function escaped(char: string): string {
  const units = Array.from({ length: char.length }, (_, i) => char.charCodeAt(i))
  return units.map(unit => `\\u${unit.toString(16).padStart(4, '0')}`).join('')
}

export function withoutSecrets(text: string): string {
  return text.includes('=') ? text.replaceAll(SECRET, '$1…') : text
}

/** A path or URL as a shell takes it, for commands that are meant to be pasted. */
export function shellWord(text: string): string {
  if (/^[\w./~@%+=:,-]+$/.test(text)) return text
  if (!/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text)) return `'${text.replaceAll("'", "'\\''")}'`
  return `$'${text.replaceAll(/['\\]/g, '\\$&').replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, inShell)}'`
}

/** In bash, zsh and ksh. */
function inShell(char: string): string {
  const bytes = [...Buffer.from(char)]
  return bytes.map(byte => `\\x${byte.toString(16).padStart(2, '0')}`).join('')
}
