/**
 * Requests on their way out. They leave together, after all responses that have arrived are dealt with:
 * waking a server that sleeps costs more than sending to one that is awake, so a dozen requests in a row are
 * cheaper than one now and one then.
 */
import type { Socket } from 'node:net'
import { type Clock, LIMITS, type Millis } from '../../../model/index.js'

export class Outbox {
  readonly #clock: Clock
  readonly #lateMs: Millis
  #sockets: Socket[] = []
  #heads: Buffer[] = []
  #since: Millis = 0

  constructor(clock: Clock, lateMs: Millis = LIMITS.outboxMs) {
    this.#clock = clock
    this.#lateMs = lateMs
  }

  send(socket: Socket, head: Buffer): void {
    if (this.#sockets.length === 0) {
      this.#since = this.#clock.monotonic()
      this.#clock.soon(() => this.#flush())
    }
    this.#sockets.push(socket)
    this.#heads.push(head)
  }

  #flush(): void {
    const sockets = this.#sockets
    const heads = this.#heads
    this.#sockets = []
    this.#heads = []
    // The process stood still: whether it may still ask has to be found out first, and what breaks off is
    // asked again.
    const isLate = this.#clock.monotonic() - this.#since > this.#lateMs
    for (let i = 0; i < sockets.length; i++) {
      if (isLate) sockets[i]!.destroy()
      else if (!sockets[i]!.destroyed) sockets[i]!.write(heads[i]!)
    }
  }
}
