/**
 * What commands print. It may quote servers, file names and SQL, so control characters are removed: a
 * terminal must not obey them, now or when the output is shown later.
 */
import { Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { forTerminal, jsonForTerminal } from '../../model/index.js'

/** To stdout, for people. */
export function print(text: string): void {
  process.stdout.write(forTerminal(text))
}

/** To stdout, one JSON value on a line. */
export function printJson(value: unknown): void {
  process.stdout.write(`${jsonForTerminal(JSON.stringify(value))}\n`)
}

/** With back-pressure. Ends without an error when the reader closes the pipe, as `head` does. */
export async function sendPieces(
  pieces: Iterable<string> | AsyncIterable<string>,
  out: Writable,
  signal?: AbortSignal,
): Promise<void> {
  try {
    await pipeline(Readable.from(pieces), out, { end: false, ...(signal && { signal }) })
  } catch (error) {
    signal?.throwIfAborted()
    if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error
  }
}

/** To stderr, for people. */
export function tell(text: string): void {
  process.stderr.write(forTerminal(text))
}
