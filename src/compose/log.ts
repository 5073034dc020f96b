import { join } from 'node:path'
import pino from 'pino'

/** JSON lines in `crawl.log`; the terminal is for people. */
export interface Log {
  info(event: string, fields?: Readonly<Record<string, unknown>>): void
  warn(event: string, fields?: Readonly<Record<string, unknown>>): void
  close(): void
}

export function openLog(directory: string): Log {
  const destination = pino.destination({ dest: join(directory, 'crawl.log'), sync: true })
  const logger = pino({ base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination)
  return {
    info: (event, fields) => logger.info(fields ?? {}, event),
    warn: (event, fields) => logger.warn(fields ?? {}, event),
    close: () => destination.end(),
  }
}
