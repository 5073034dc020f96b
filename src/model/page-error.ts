/**
 * Whether an exception while one page was read or converted is a bug that this page triggered. Errors of the
 * disk and of SQLite are not: they would hit any page, and end the whole operation.
 */
export function isOfPage(error: unknown): boolean {
  if (!(error instanceof Error)) return true
  const code = 'code' in error ? String(error.code) : ''
  return !('syscall' in error) && !code.startsWith('SQLITE')
}
