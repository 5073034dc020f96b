/**
 * Whether an exception, thrown while one page was read or converted, is a bug that the page brought to light.
 * Errors of the disk and of SQLite are not: they would meet any page, and end what is being done.
 */
export function isOfPage(error: unknown): boolean {
  if (!(error instanceof Error)) return true
  const code = 'code' in error ? String(error.code) : ''
  return !('syscall' in error) && !code.startsWith('SQLITE')
}
