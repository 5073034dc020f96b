/**
 * Reads and writes of all bytes. The system may transfer fewer without an error: on a disk that is nearly
 * full, or above 2 GiB at once.
 */

import { readSync, writeSync } from 'node:fs'
import { WHOLE_IO_COPY_BYTES } from './limits.js'

export function writeWhole(file: number, bytes: Uint8Array, position: number): void {
  for (let done = 0; done < bytes.length; )
    done += writeSync(file, bytes, done, bytes.length - done, position + done)
}

/** Fills `bytes` from a position of the file; returns fewer bytes only at its end. */
export function readWhole(file: number, bytes: Buffer, position: number): number {
  let done = 0
  while (done < bytes.length) {
    const count = readSync(file, bytes, done, bytes.length - done, position + done)
    if (count === 0) break
    done += count
  }
  return done
}

/** Copies `source` from `start` on to the beginning of `target`. */
export function copyBytes(source: number, start: number, target: number): void {
  const piece = Buffer.allocUnsafe(WHOLE_IO_COPY_BYTES)
  for (let at = start; ; ) {
    const length = readSync(source, piece, 0, piece.length, at)
    if (length === 0) return
    writeWhole(target, piece.subarray(0, length), at - start)
    at += length
  }
}
