import { closeSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { OPEN } from '../../files/index.js'
import { type Clock, withoutSecrets } from '../../model/index.js'

const hide = (_key: string, value: unknown): unknown =>
  typeof value === 'string' ? withoutSecrets(value) : value

const STDERR = 2

type Fields = Readonly<Record<string, unknown>>

/** JSON lines in `crawl.log`. There are few events a second at most, so each is written at once. */
export class Log {
  readonly #file: number
  readonly #clock: Clock

  /** Null: this machine does not see the directory, and the lines go to stderr. */
  constructor(directory: string | null, clock: Clock) {
    this.#clock = clock
    this.#file = directory === null ? STDERR : openSync(join(directory, 'crawl.log'), OPEN.append)
  }

  info(event: string, fields: Fields = {}): void {
    this.#write('info', event, fields)
  }

  warn(event: string, fields: Fields = {}): void {
    this.#write('warn', event, fields)
  }

  close(): void {
    if (this.#file !== STDERR) closeSync(this.#file)
  }

  #write(level: string, event: string, fields: Fields): void {
    const time = new Date(this.#clock.now()).toISOString()
    try {
      writeSync(this.#file, `${JSON.stringify({ time, level, event, ...fields }, hide)}\n`)
    } catch {
      // A disk without room for this line has none for a page either; the store reports that.
    }
  }
}
