/**
 * What commands print. It may quote servers, file names and SQL: nothing in it may speak to a terminal,
 * whether it goes to one now or is shown on one later.
 */
import { forTerminal, jsonForTerminal } from '../model/index.js'

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
