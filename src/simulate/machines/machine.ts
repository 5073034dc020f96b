/**
 * A machine that an agent runs on. Timers and answers reach the agent only through here, so a machine can be
 * killed, frozen and revived, slowed down and cut off, and its clock can be set wrong.
 */

import type { Cancel, Clock, Millis } from '../../model/index.js'
import { EPOCH_MS } from '../limits.js'
import type { Event, Host, VirtualTime } from './virtual-time.js'

export class Machine implements Host {
  readonly name: string
  readonly clock: Clock
  readonly #time: VirtualTime
  #state: 'running' | 'frozen' | 'dead' = 'running'
  /** Events that became due while the machine was frozen. */
  readonly #held: Event[] = []
  readonly #onDeath: (() => void)[] = []
  readonly #onFreeze: (() => void)[] = []
  /** Error of the wall clock. */
  skewMs: Millis = 0
  /** Added to the time of every answer and timer. */
  slownessMs: Millis = 0
  /** The machine cannot reach the ledger or the bus. */
  isCutOff = false

  constructor(name: string, time: VirtualTime) {
    this.name = name
    this.#time = time
    this.clock = {
      now: () => EPOCH_MS + time.now + this.skewMs,
      grainMs: 0,
      monotonic: () => time.now,
      after: (delayMs, task) => this.after(delayMs, task),
      soon: task => this.later(0, task),
    }
  }

  get isDead(): boolean {
    return this.#state === 'dead'
  }

  get isFrozen(): boolean {
    return this.#state === 'frozen'
  }

  /** Runs `task` when the delay is over and the machine is running; never on a dead machine. */
  after(delayMs: Millis, task: () => void): Cancel {
    return this.#time.after(delayMs + this.slownessMs, task, this)
  }

  /** Like `after`, for a task that is never cancelled. */
  later(delayMs: Millis, task: () => void): void {
    this.#time.later(delayMs + this.slownessMs, task, this)
  }

  due(event: Event): void {
    if (this.#state === 'running') event.task?.()
    else if (this.#state === 'frozen') this.#held.push(event)
  }

  /** Runs `task` at once if the machine is running and not slow, else as `later` does. */
  now(task: () => void): void {
    if (this.#state === 'running' && this.slownessMs === 0) task()
    else this.later(0, task)
  }

  /** Runs `task` at the moment the machine is killed. */
  onDeath(task: () => void): void {
    this.#onDeath.push(task)
  }

  /** Runs `task` at the moment the machine is frozen: it can no longer abort what is in flight. */
  onFreeze(task: () => void): void {
    this.#onFreeze.push(task)
  }

  kill(): void {
    if (this.#state === 'dead') return
    this.#state = 'dead'
    this.#held.length = 0
    for (const task of this.#onDeath) task()
  }

  freeze(): void {
    if (this.#state !== 'running') return
    this.#state = 'frozen'
    for (const task of this.#onFreeze) task()
  }

  /** Resumes, with the events that became due meanwhile, in their order. */
  revive(): void {
    if (this.#state !== 'frozen') return
    this.#state = 'running'
    for (const event of this.#held.splice(0)) this.#time.again(event, this.slownessMs)
  }
}
