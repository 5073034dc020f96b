/**
 * How far the other agents are (D4): now and then two messages go to all of them, a light one and one with
 * some weight, and each is answered. What the light one took is the round trip; the weight over the time of
 * the heavy one is a lower bound of the bandwidth. A thread that is busy answers late, so the best of the
 * last few counts; and what a bus holds back to send it with others is no distance.
 */
import type { Bus, BusMessage } from '../../../bus/index.js'
import type { Incarnation } from '../../../ledger/index.js'
import type { Clock, Millis } from '../../../model/index.js'

const EVERY_MS = 10_000
/**
 * So many looks count, and nothing is told of a peer that has answered fewer than these: the first may be a
 * busy start.
 */
const LOOKS = 3
const LEAST_LOOKS = 2
/** Heavy enough to show a slow wire, light enough for one notification of PostgreSQL. */
const WEIGHT = 'x'.repeat(6 * 1024)
/** What a clock may call no time at all. */
const LEAST_MS = 0.01

export interface Peer {
  readonly rttMs: Millis
  readonly bytesPerSecond: number
}

/** What one look has shown of a peer. */
interface Sample {
  readonly at: Millis
  rttMs: Millis
  bytesPerSecond: number
}

export class PeerProbe {
  readonly #clock: Clock
  readonly #bus: Bus
  readonly #own: Incarnation
  /** The latest last. */
  readonly #samples = new Map<Incarnation, Sample[]>()
  /** What they say, for those who ask; null when it has changed. */
  #told: Readonly<Record<Incarnation, Peer>> | null = null
  /** Who has answered since the last look. */
  readonly #answered = new Set<Incarnation>()
  #sentAt: Millis = Number.NEGATIVE_INFINITY

  constructor(clock: Clock, bus: Bus, own: Incarnation) {
    this.#clock = clock
    this.#bus = bus
    this.#own = own
  }

  /** By agent, the best of the last looks. Those that did not answer are forgotten with the next look. */
  get peers(): Readonly<Record<Incarnation, Peer>> {
    this.#told ??= Object.fromEntries(
      [...this.#samples]
        .filter(([, samples]) => samples.length >= LEAST_LOOKS)
        .map(([peer, samples]) => [peer, bestOf(samples)]),
    )
    return this.#told
  }

  /** Called with every heartbeat. */
  look(): void {
    const now = this.#clock.monotonic()
    if (now - this.#sentAt < EVERY_MS) return
    this.#sentAt = now
    for (const peer of this.#samples.keys()) if (!this.#answered.has(peer)) this.#samples.delete(peer)
    this.#answered.clear()
    this.#told = null
    this.#bus.send({ kind: 'ping', from: this.#own, at: now, weight: '', heldMs: 0 })
    this.#bus.send({ kind: 'ping', from: this.#own, at: now, weight: WEIGHT, heldMs: 0 })
  }

  hear(message: BusMessage): void {
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
    // The heavy one bounds it where the light one was lost.
    sample.rttMs = Math.min(sample.rttMs, tookMs)
    if (message.bytes > 0) sample.bytesPerSecond = Math.round((message.bytes * 1000) / tookMs)
    this.#told = null
  }

  #sampleOf(peer: Incarnation, at: Millis): Sample {
    const samples = this.#samples.get(peer) ?? []
    const known = samples.find(sample => sample.at === at)
    if (known) return known
    const sample = { at, rttMs: Number.POSITIVE_INFINITY, bytesPerSecond: 0 }
    samples.push(sample)
    if (samples.length > LOOKS) samples.shift()
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
