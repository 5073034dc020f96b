/**
 * The child's side of a sandbox: reads a task, answers it, reads the next. Reading and writing block, so that
 * an answer is out before the next task begins: the parent then knows which task the child works on.
 */
import { readSync, writeSync } from 'node:fs'
import { SANDBOX_READ_BYTES } from '../limits.js'
import { FrameReader, frameOf } from './frames.js'

const IN = 0
const OUT = 1

/** Returns when the parent closes its end. The parent is trusted: a task may have any length. */
export async function serveTasks(answer: (task: Buffer) => Uint8Array | Promise<Uint8Array>): Promise<void> {
  const reader = new FrameReader(Number.MAX_SAFE_INTEGER)
  const piece = Buffer.allocUnsafeSlow(SANDBOX_READ_BYTES)
  for (;;) {
    const bytes = readSync(IN, piece, 0, piece.length, null)
    if (bytes === 0) return
    reader.push(Buffer.from(piece.subarray(0, bytes)))
    for (let task = reader.next(); task !== null; task = reader.next()) writeAll(frameOf(await answer(task)))
  }
}

function writeAll(bytes: Buffer): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(OUT, bytes, at)
}
