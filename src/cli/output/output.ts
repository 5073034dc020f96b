/**
 * What commands print. It may quote servers, file names and SQL, so control characters are removed: a
 * terminal must not obey them, now or when the output is shown later.
 */
import { forTerminal, jsonForTerminal } from '../../model/index.js'

/** To stdout, for people. */
export function print(text: string): void {
  process.stdout.write(forTerminal(text))
}

/** To stdout, one JSON value on a line. */
export function printJson(value: unknown): void {
  process.stdout.write(`${jsonForTerminal(JSON.stringify(value))}\n`)
}

/** To stderr, for people. */
export function tell(text: string): void {
  process.stderr.write(forTerminal(text))
}
