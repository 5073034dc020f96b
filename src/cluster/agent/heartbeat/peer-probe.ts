/**
 * Measures the distance to the other agents (D4). Every ten seconds it sends a short and a long message to
 * all, and each agent answers both. The short one gives the round-trip time; the length of the long one,
 * divided by its time, is a lower bound of the bandwidth. A busy thread answers late, so the best of the last
 * few probes counts. Time during which a bus holds a message back is subtracted.
 */
import type { Bus, BusMessage } from '../../../bus/index.js'
import type { Incarnation } from '../../../ledger/index.js'
import type { Clock, Millis } from '../../../model/index.js'

const EVERY_MS = 10_000
/** The last probes that count, and how many a peer must have answered: the first may hit a busy start. */
const KEPT_SAMPLES = 3
const LEAST_SAMPLES = 2
/** Long enough to show a slow line, short enough for one notification of PostgreSQL. */
const WEIGHT = 'x'.repeat(6 * 1024)
/** Shorter times count as this: a coarse clock may measure zero. */
const LEAST_MS = 0.01

export interface Peer {
  readonly rttMs: Millis
  readonly bytesPerSecond: number
}

/** The result of one probe of a peer. */
interface Sample {
  readonly at: Millis
  rttMs: Millis
  bytesPerSecond: number
}

export class PeerProbe {
  readonly #clock: Clock
  readonly #bus: Bus
  readonly #own: Incarnation
  /** Latest last. */
  readonly #samples = new Map<Incarnation, Sample[]>()
  /** The cached result; null if a sample has changed. */
  #peers: Readonly<Record<Incarnation, Peer>> | null = null
  /** Peers that have answered since the last probe. */
  readonly #answered = new Set<Incarnation>()
  #sentAt: Millis = Number.NEGATIVE_INFINITY

  constructor(clock: Clock, bus: Bus, own: Incarnation) {
    this.#clock = clock
    this.#bus = bus
    this.#own = own
  }

  /** The best of the last probes, of agents that answered the probe before the last. */
  get peers(): Readonly<Record<Incarnation, Peer>> {
    this.#peers ??= Object.fromEntries(
      [...this.#samples]
        .filter(([, samples]) => samples.length >= LEAST_SAMPLES)
        .map(([peer, samples]) => [peer, bestOf(samples)]),
    )
    return this.#peers
  }

  /** Called with every heartbeat. */
  look(): void {
    const now = this.#clock.monotonic()
    if (now - this.#sentAt < EVERY_MS) return
    this.#sentAt = now
    for (const peer of this.#samples.keys()) if (!this.#answered.has(peer)) this.#samples.delete(peer)
    this.#answered.clear()
    this.#peers = null
    this.#bus.send({ kind: 'ping', from: this.#own, at: now, weight: '', heldMs: 0 })
    this.#bus.send({ kind: 'ping', from: this.#own, at: now, weight: WEIGHT, heldMs: 0 })
  }

  receive(message: BusMessage): void {
    if (message.kind === 'ping')
      this.#bus.send({
        kind: 'pong',
        to: message.from,
        from: this.#own,
        at: message.at,
        bytes: message.weight.length,
        heldMs: message.heldMs,
      })
    if (message.kind !== 'pong' || message.to !== this.#own) return
    const tookMs = Math.max(LEAST_MS, this.#clock.monotonic() - message.at - message.heldMs)
    this.#answered.add(message.from)
    const sample = this.#sampleOf(message.from, message.at)
    // If the short message was lost, the long one gives an upper bound.
    sample.rttMs = Math.min(sample.rttMs, tookMs)
    if (message.bytes > 0) sample.bytesPerSecond = Math.round((message.bytes * 1000) / tookMs)
    this.#peers = null
  }

  #sampleOf(peer: Incarnation, at: Millis): Sample {
    const samples = this.#samples.get(peer) ?? []
    const known = samples.find(sample => sample.at === at)
    if (known) return known
    const sample = { at, rttMs: Number.POSITIVE_INFINITY, bytesPerSecond: 0 }
    samples.push(sample)
    if (samples.length > KEPT_SAMPLES) samples.shift()
    this.#samples.set(peer, samples)
    return sample
  }
}

function bestOf(samples: readonly Sample[]): Peer {
  const rttMs = Math.min(...samples.map(sample => sample.rttMs))
  return {
    rttMs: Math.round(rttMs * 100) / 100,
    bytesPerSecond: Math.max(...samples.map(sample => sample.bytesPerSecond)),
  }
}
