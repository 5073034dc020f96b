/**
 * The coordinating life of a session: it beats, holds the coordinator's seat, and sees the settings change. It crawls
 * nothing itself; its agents do, in this thread or in theirs.
 */
import { HEARTBEAT_MS } from '../agent/index.js'
import { chooseAssignment } from '../assign/index.js'
import type { Bus, Heartbeat, Incarnation, Ledger } from '../cluster/index.js'
import type { CrawlConfig } from '../config/index.js'
import { Coordinator } from '../coordinator/index.js'
import { delayAfter } from '../manners/index.js'
import { type Millis, sleep } from '../model/clock.js'
import { type Random, SeededRandom } from '../model/random.js'
import type { Log } from './log.js'
import { systemClock as clock, systemRandom as random } from './system.js'

/** A crawl that is asked for twice with the same number makes the same choices. */
function chancesOf({ assignSeed }: CrawlConfig): Random {
  return assignSeed === undefined ? random : new SeededRandom(assignSeed)
}

export const COORDINATOR_NAME = 'coordinator'

export interface HelmParts {
  readonly config: CrawlConfig
  readonly ledger: Ledger
  readonly bus: Bus
  readonly incarnation: Incarnation
  readonly leaseMs: Millis
  readonly log: Log
  readonly onHeartbeat: (beat: Heartbeat) => void
  /** Lives that the ledger has ended because they were silent. */
  readonly onClosed: (lives: readonly Incarnation[]) => Promise<void>
}

export class Helm {
  readonly #parts: HelmParts
  readonly #stopping = new AbortController()
  readonly #coordinator: Coordinator
  #delay: CrawlConfig['delay']

  constructor(parts: HelmParts) {
    const { config, ledger, bus, incarnation, leaseMs, log } = parts
    this.#parts = parts
    this.#delay = config.delay
    this.#coordinator = new Coordinator({
      clock,
      ledger,
      bus,
      incarnation,
      leaseMs,
      assignment: chooseAssignment(config.assign, chancesOf(config)),
      beatMs: this.#beatMs,
      leastDelayMs: () => delayAfter(this.#delay, 0),
      ordersBySize: true,
      signal: this.#stopping.signal,
      onClosed: lives => {
        log.warn('agents have fallen silent; their sites go to others', { lives })
        const failed = (error: Error) => log.warn('their files wait for a resume', { error: error.message })
        void parts.onClosed(lives).catch(failed)
      },
    })
  }

  get coordinator(): Coordinator {
    return this.#coordinator
  }

  /** Until `release`; rejects when the ledger can no longer be used. */
  async run(): Promise<void> {
    await Promise.all([this.#coordinator.run(), this.#beat()])
  }

  release(): void {
    this.#stopping.abort()
  }

  get #beatMs(): Millis {
    return Math.min(HEARTBEAT_MS, this.#parts.leaseMs / 10)
  }

  async #beat(): Promise<void> {
    const { ledger, incarnation, leaseMs, onHeartbeat } = this.#parts
    const { signal } = this.#stopping
    while (!signal.aborted) {
      const beat = await ledger.heartbeat(incarnation, leaseMs, '{}')
      this.#delay = beat.settings.delay === 'auto' ? 'auto' : Number(beat.settings.delay)
      onHeartbeat(beat)
      await sleep(clock, this.#beatMs, signal)
    }
  }
}
