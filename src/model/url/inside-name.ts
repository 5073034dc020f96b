/**
 * Whether a file name that was read from a ledger, a manifest or a table row stays below the folder it is
 * relative to: no absolute path, no `..`, no drive letter, nothing that another system reads as a separator.
 */
export function isInsideName(name: string): boolean {
  if (/[\\\0]|^[a-z]:/i.test(name)) return false
  return name.split('/').every(part => part !== '' && part !== '.' && part !== '..')
}
