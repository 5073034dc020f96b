/**
 * How far the other agents are (D4): now and then a message with some weight goes to all of them, and each answers. What
 * it took is the round trip; the weight over that time is a lower bound of the bandwidth.
 */
import type { Bus, BusMessage, Incarnation } from '../cluster/index.js'
import type { Clock, Millis } from '../model/clock.js'

const EVERY_MS = 10_000
/** Heavy enough to show a slow wire, light enough to be nothing. */
const WEIGHT = 'x'.repeat(16 * 1024)

export interface Peer {
  readonly rttMs: Millis
  readonly bytesPerSecond: number
}

export class PeerProbe {
  readonly #clock: Clock
  readonly #bus: Bus
  readonly #own: Incarnation
  readonly #peers = new Map<Incarnation, Peer>()
  #sentAt: Millis = Number.NEGATIVE_INFINITY

  constructor(clock: Clock, bus: Bus, own: Incarnation) {
    this.#clock = clock
    this.#bus = bus
    this.#own = own
  }

  /** What was measured last, by agent. Those that no longer answer are forgotten with the next look. */
  get peers(): Readonly<Record<Incarnation, Peer>> {
    return Object.fromEntries(this.#peers)
  }

  /** Called with every heartbeat. */
  look(): void {
    const now = this.#clock.monotonic()
    if (now - this.#sentAt < EVERY_MS) return
    this.#sentAt = now
    this.#peers.clear()
    this.#bus.send({ kind: 'ping', from: this.#own, at: now, weight: WEIGHT })
  }

  hear(message: BusMessage): void {
    if (message.kind === 'ping')
      this.#bus.send({ kind: 'pong', to: message.from, from: this.#own, at: message.at })
    if (message.kind !== 'pong' || message.to !== this.#own) return
    const rttMs = Math.max(0.01, this.#clock.monotonic() - message.at)
    this.#peers.set(message.from, {
      rttMs: Math.round(rttMs * 100) / 100,
      bytesPerSecond: Math.round((WEIGHT.length * 1000) / rttMs),
    })
  }
}
