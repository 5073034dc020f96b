/**
 * Sends requests together, after all responses that have arrived are handled: waking an idle server costs
 * more than sending to a busy one, so requests in a batch are cheaper than the same requests one by one.
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
    // The process was suspended: the lease may be over. A request on a destroyed socket is checked and sent
    // again.
    const isLate = this.#clock.monotonic() - this.#since > this.#lateMs
    for (let i = 0; i < sockets.length; i++) {
      if (isLate) sockets[i]!.destroy()
      else if (!sockets[i]!.destroyed) sockets[i]!.write(heads[i]!)
    }
  }
}
