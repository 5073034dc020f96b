/** What is shown to people or kept in logs: it may quote servers and URLs. */
import { LIMITS } from './limits.js'

/** Parameters of a query whose values let somebody in. */
const SECRET =
  /([?&;][^=&#\s]*(?:token|secret|passw|pwd|auth|api_?-?key|signature|credential|session|jwt)[^=&#\s]*=)[^&#?;\s"'<>]+/gi

/** Short, without what a terminal would obey, and without secrets. */
export function forPeople(text: string): string {
  const short = text.length > LIMITS.detailChars ? `${text.slice(0, LIMITS.detailChars)}…` : text
  return withoutSecrets(withoutControls(short))
}

/** Without what a terminal would obey. */
export function withoutControls(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}]+/gu, ' ')
}

export function withoutSecrets(text: string): string {
  return text.includes('=') ? text.replaceAll(SECRET, '$1…') : text
}

/** A path or URL as a shell takes it, for commands that are meant to be pasted. */
export function shellWord(text: string): string {
  return /^[\w./~@%+=:,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
