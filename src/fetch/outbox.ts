/**
 * Requests on their way out. They leave together, after all responses that have arrived are dealt with: waking a server
 * that sleeps costs more than sending to one that is awake, so a dozen requests in a row are cheaper than one now and
 * one then.
 */
import type { Socket } from 'node:net'
import type { Clock } from '../model/clock.js'

export class Outbox {
  readonly #clock: Clock
  #sockets: Socket[] = []
  #heads: Buffer[] = []

  constructor(clock: Clock) {
    this.#clock = clock
  }

  send(socket: Socket, head: Buffer): void {
    if (this.#sockets.length === 0) this.#clock.soon(() => this.#flush())
    this.#sockets.push(socket)
    this.#heads.push(head)
  }

  #flush(): void {
    const sockets = this.#sockets
    const heads = this.#heads
    this.#sockets = []
    this.#heads = []
    for (let i = 0; i < sockets.length; i++) if (!sockets[i]!.destroyed) sockets[i]!.write(heads[i]!)
  }
}
