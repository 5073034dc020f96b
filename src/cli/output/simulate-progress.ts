/**
 * Shows the progress of a simulation on stderr: one line that is rewritten in place on a terminal, elsewhere
 * a new line every few seconds.
 */

import { type Clock, type Millis, number } from '../../model/index.js'
import type { SimulationProgress } from '../../simulate/index.js'
import { SIMULATE_PROGRESS_LIVE_MS, SIMULATE_PROGRESS_PLAIN_MS } from '../limits.js'
import { duration, size } from './summary.js'

/** What the process has used so far. */
export interface Used {
  readonly cpuMs: Millis
  readonly bytes: number
}

export class SimulationDisplay {
  readonly #clock: Clock
  readonly #stream: NodeJS.WriteStream
  readonly #used: () => Used
  #saidAt: Millis
  #isShown = false

  constructor(clock: Clock, stream: NodeJS.WriteStream, used: () => Used) {
    this.#clock = clock
    this.#stream = stream
    this.#used = used
    this.#saidAt = clock.monotonic()
  }

  /** Updates the line if enough time has passed since the last update. `run` counts from 1. */
  look({ acknowledged, pages, virtualMs }: SimulationProgress, run: number, runs: number): void {
    const now = this.#clock.monotonic()
    if (now - this.#saidAt < (this.#stream.isTTY ? SIMULATE_PROGRESS_LIVE_MS : SIMULATE_PROGRESS_PLAIN_MS))
      return
    this.#saidAt = now
    const { cpuMs, bytes } = this.#used()
    const which = runs > 1 ? [`run ${number(run)} of ${number(runs)}`] : []
    const text = [
      ...which,
      `${number(acknowledged)} of ${number(pages)} pages (${Math.floor((100 * acknowledged) / pages)} %)`,
      `${duration(virtualMs / 1000)} virtual`,
      `${duration(cpuMs / 1000)} of CPU`,
      size(bytes),
    ].join(' · ')
    this.#isShown = true
    this.#stream.write(this.#stream.isTTY ? `\r\x1b[K${text}` : `${text}\n`)
  }

  /** Clears the line on a terminal. */
  stop(): void {
    if (this.#isShown && this.#stream.isTTY) this.#stream.write('\r\x1b[K')
    this.#isShown = false
  }
}
