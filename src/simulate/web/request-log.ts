/** The server's request log, one JSON object per line. */

import { closeSync, openSync, writeSync } from 'node:fs'
import type { Cancel, Clock } from '../../model/index.js'
import { REQUEST_LOG_FLUSH_BYTES, REQUEST_LOG_FLUSH_MS } from '../limits.js'
import type { ServedRequest } from './web-server.js'

/** Writes lines within a fifth of a second, so that the file can be read while the server runs. */
export class RequestLog {
  readonly #file: number
  readonly #clock: Clock
  #lines = ''
  #cancel: Cancel | undefined

  /** Appends to `path`; throws if it cannot be opened. */
  constructor(path: string, clock: Clock) {
    this.#file = openSync(path, 'a')
    this.#clock = clock
  }

  add(served: ServedRequest): void {
    const times = `"start":${served.startMs.toFixed(3)},"end":${served.endMs.toFixed(3)}`
    const where = `"from":"${served.from}","site":"${served.site}","method":"${served.method}"`
    const path = JSON.stringify(served.target)
    this.#lines += `{${times},${where},"path":${path},"status":${served.status},"bytes":${served.bytes}}\n`
    if (this.#lines.length >= REQUEST_LOG_FLUSH_BYTES) this.flush()
    else this.#cancel ??= this.#clock.after(REQUEST_LOG_FLUSH_MS, () => this.flush())
  }

  flush(): void {
    this.#cancel?.()
    this.#cancel = undefined
    if (this.#lines !== '') writeSync(this.#file, this.#lines)
    this.#lines = ''
  }

  close(): void {
    this.flush()
    closeSync(this.#file)
  }
}
