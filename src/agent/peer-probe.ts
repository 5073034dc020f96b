/**
 * How far the other agents are (D4): now and then two messages go to all of them, a light one and one with some weight,
 * and each is answered. What the light one took is the round trip; the weight over the time of the heavy one is a lower
 * bound of the bandwidth.
 */
import type { Bus, BusMessage, Incarnation } from '../cluster/index.js'
import type { Clock, Millis } from '../model/clock.js'

const EVERY_MS = 10_000
/** Heavy enough to show a slow wire, light enough to be nothing. */
const WEIGHT = 'x'.repeat(16 * 1024)
/** What a clock may call no time at all. */
const LEAST_MS = 0.01

export interface Peer {
  readonly rttMs: Millis
  readonly bytesPerSecond: number
}

export class PeerProbe {
  readonly #clock: Clock
  readonly #bus: Bus
  readonly #own: Incarnation
  readonly #peers = new Map<Incarnation, Peer>()
  /** The same for those who ask; null when it has changed. */
  #told: Readonly<Record<Incarnation, Peer>> | null = null
  /** Who has answered since the last look. */
  readonly #answered = new Set<Incarnation>()
  #sentAt: Millis = Number.NEGATIVE_INFINITY

  constructor(clock: Clock, bus: Bus, own: Incarnation) {
    this.#clock = clock
    this.#bus = bus
    this.#own = own
  }

  /** What was measured last, by agent. Those that did not answer are forgotten with the next look. */
  get peers(): Readonly<Record<Incarnation, Peer>> {
    this.#told ??= Object.fromEntries(this.#peers)
    return this.#told
  }

  /** Called with every heartbeat. */
  look(): void {
    const now = this.#clock.monotonic()
    if (now - this.#sentAt < EVERY_MS) return
    this.#sentAt = now
    for (const peer of this.#peers.keys()) if (!this.#answered.has(peer)) this.#peers.delete(peer)
    this.#answered.clear()
    this.#told = null
    this.#bus.send({ kind: 'ping', from: this.#own, at: now, weight: '' })
    this.#bus.send({ kind: 'ping', from: this.#own, at: now, weight: WEIGHT })
  }

  hear(message: BusMessage): void {
    if (message.kind === 'ping')
      this.#bus.send({
        kind: 'pong',
        to: message.from,
        from: this.#own,
        at: message.at,
        bytes: message.weight.length,
      })
    if (message.kind !== 'pong' || message.to !== this.#own) return
    const tookMs = Math.max(LEAST_MS, this.#clock.monotonic() - message.at)
    this.#answered.add(message.from)
    const known = this.#peers.get(message.from)
    const rttMs = message.bytes === 0 ? Math.round(tookMs * 100) / 100 : (known?.rttMs ?? tookMs)
    const bytesPerSecond =
      message.bytes === 0 ? (known?.bytesPerSecond ?? 0) : Math.round((message.bytes * 1000) / tookMs)
    this.#peers.set(message.from, { rttMs, bytesPerSecond })
    this.#told = null
  }
}
