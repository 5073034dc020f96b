/** Files as bytes; whatever is wrong with one becomes a PartitionError of one line that names it. */
import { readFileSync } from 'node:fs'
import { PartitionError } from '../state/index.js'

/** What is wrong with a line of a file. */
export function inputError(file: string, line: number, complaint: string): PartitionError {
  return new PartitionError(line === 0 ? `${file}: ${complaint}` : `${file}, line ${line}: ${complaint}`)
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EISDIR: 'this is a folder, not a file',
  EACCES: 'it may not be read',
  EPERM: 'it may not be read',
  ERR_FS_FILE_TOO_LARGE: 'it is larger than 2 GiB, which is all that is read',
}

export function readBytes(file: string): Uint8Array {
  try {
    return readFileSync(file)
  } catch (error) {
    const reason = REASONS[(error as NodeJS.ErrnoException).code ?? '']
    if (reason === undefined) throw error
    throw inputError(file, 0, reason)
  }
}
