/** Text for screens and logs, which may quote servers and URLs: without secrets and control characters. */
import { LIMITS } from './limits.js'

/** Query parameters whose values are credentials. */
const SECRET =
  /([?&;][^=&#\s]*(?:token|secret|passw|pwd|auth|api_?-?key|signature|credential|session|jwt)[^=&#\s]*=)[^&#?;\s"'<>]+/gi

/** Shortened, without control characters and secrets. */
export function forDisplay(text: string): string {
  const short = text.length > LIMITS.detailChars ? `${text.slice(0, LIMITS.detailChars)}…` : text
  return withoutSecrets(withoutControls(short))
}

/** Without characters that a terminal would interpret. */
export function withoutControls(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}]+/gu, ' ')
}

/** Like `withoutControls`, for several lines: line ends and tabs stay. */
export function forTerminal(text: string): string {
  return text.replaceAll(/\r(?!\n)|(?![\t\n\r])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ')
}

/** `json` with all control characters escaped: JSON.stringify escapes only the ASCII ones. */
export function jsonForTerminal(json: string): string {
  return json.replaceAll(/(?![\t\n\r])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, escaped)
}

/** Like toLocaleString('en-US'), whose first call takes 20 ms. */
export function number(value: number): string {
  const rounded = Number.isInteger(value) ? value : Math.round(value * 1_000) / 1_000
  return String(rounded).replace(/(?<!\.\d*)\B(?=(\d{3})+(?!\d))/g, ',')
}

export function plural(count: number, noun: string, several = `${noun}s`): string {
  return `${number(count)} ${count === 1 ? noun : several}`
}

function escaped(char: string): string {
  const units = Array.from({ length: char.length }, (_, i) => char.charCodeAt(i))
  return units.map(unit => `\\u${unit.toString(16).padStart(4, '0')}`).join('')
}

export function withoutSecrets(text: string): string {
  return text.includes('=') ? text.replaceAll(SECRET, '$1…') : text
}

/** A path or URL quoted for a shell, for commands that users copy. */
export function shellWord(text: string): string {
  if (/^[\w./~@%+=:,-]+$/.test(text)) return text
  if (!/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text)) return `'${text.replaceAll("'", "'\\''")}'`
  return `$'${text.replaceAll(/['\\]/g, '\\$&').replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, inShell)}'`
}

/** The escape that bash, zsh and ksh understand. */
function inShell(char: string): string {
  const bytes = [...Buffer.from(char)]
  return bytes.map(byte => `\\x${byte.toString(16).padStart(2, '0')}`).join('')
}
