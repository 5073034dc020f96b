/** One part number per line. The file is whole or not there: it is written beside its place, then renamed. */
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync, writeSync } from 'node:fs'
import { inputError } from './input-file.js'

export function writeParts(file: string, parts: Int32Array): void {
  try {
    // A pipe or /dev/null stays what it is.
    const isSpecial = existsSync(file) && !statSync(file).isFile() && !statSync(file).isDirectory()
    if (isSpecial) write(file, parts, false)
    else writeBeside(file, parts)
  } catch (error) {
    const reason = REASONS[(error as NodeJS.ErrnoException).code ?? '']
    if (reason === undefined) throw error
    throw inputError(file, 0, reason)
  }
}

function writeBeside(file: string, parts: Int32Array): void {
  const beside = `${file}.${process.pid}.tmp`
  try {
    write(beside, parts, true)
    renameSync(beside, file)
  } finally {
    rmSync(beside, { force: true })
  }
}

function write(file: string, parts: Int32Array, isDurable: boolean): void {
  const descriptor = openSync(file, 'w')
  try {
    const lines = asLines(parts)
    for (let written = 0; written < lines.length; ) written += writeSync(descriptor, lines, written)
    if (isDurable) fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'its folder does not exist',
  ENOTDIR: 'its folder does not exist',
  EISDIR: 'this is a folder; name a file with --out',
  EACCES: 'it may not be written; name another file with --out',
  EPERM: 'it may not be written; name another file with --out',
  EROFS: 'it may not be written; name another file with --out',
}

const ZERO = 48
const NEWLINE = 10
/** A 32-bit number and a newline. */
const LINE_BYTES = 12

function asLines(parts: Int32Array): Uint8Array {
  const bytes = new Uint8Array(parts.length * LINE_BYTES)
  let at = 0
  for (const part of parts) {
    if (part < 10) {
      bytes[at++] = ZERO + part
    } else {
      for (const char of String(part)) bytes[at++] = char.charCodeAt(0)
    }
    bytes[at++] = NEWLINE
  }
  return bytes.subarray(0, at)
}
