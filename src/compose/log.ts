import { closeSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { OPEN } from '../files/index.js'
import { withoutSecrets } from '../model/index.js'
import { systemClock } from './system-clock.js'

const hide = (_key: string, value: unknown): unknown =>
  typeof value === 'string' ? withoutSecrets(value) : value

const STDERR = 2

type Fields = Readonly<Record<string, unknown>>

/**
 * JSON lines in `crawl.log`; the terminal is for people. Few events a second at most, so each is written at
 * once.
 */
export class Log {
  readonly #file: number

  /** Who does not see the directory writes to stderr. */
  constructor(directory: string | null) {
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
    const time = new Date(systemClock.now()).toISOString()
    try {
      writeSync(this.#file, `${JSON.stringify({ time, level, event, ...fields }, hide)}\n`)
    } catch {
      // A disk without room for a line of the log has none for a page either: whoever stores one says so.
    }
  }
}
