/**
 * Whether a file name from a ledger, a manifest or a table row stays inside its folder: no absolute path, no
 * `..`, no drive letter, and no separator of another system.
 */
export function isInsideName(name: string): boolean {
  if (/[\\\0]|^[a-z]:/i.test(name)) return false
  return name.split('/').every(part => part !== '' && part !== '.' && part !== '..')
}
