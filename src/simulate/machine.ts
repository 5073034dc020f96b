/**
 * A machine that an agent runs on. All that comes to the agent from outside (a timer, an answer) goes through
 * here, so the machine can be killed, frozen and revived, slowed down, cut off, and its clock set wrong.
 */
import type { Cancel, Clock, Millis } from '../model/index.js'
import type { Event, Host, VirtualTime } from './virtual-time.js'

/** The wall clock of the simulated world begins here. */
export const EPOCH_MS = 1_800_000_000_000

export class Machine implements Host {
  readonly name: string
  readonly clock: Clock
  readonly #time: VirtualTime
  #state: 'running' | 'frozen' | 'dead' = 'running'
  /** What came while it was frozen. */
  readonly #held: Event[] = []
  readonly #onDeath: (() => void)[] = []
  readonly #onFreeze: (() => void)[] = []
  /** What its wall clock is off by. */
  skewMs: Millis = 0
  /** What every answer takes longer. */
  slownessMs: Millis = 0
  /** No way to the ledger. */
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

  /** Runs `task` on this machine once the time has come, or when it is awake again; never when it is dead. */
  after(delayMs: Millis, task: () => void): Cancel {
    return this.#time.after(delayMs + this.slownessMs, task, this)
  }

  /** The same for what nobody cancels. */
  later(delayMs: Millis, task: () => void): void {
    this.#time.later(delayMs + this.slownessMs, task, this)
  }

  due(event: Event): void {
    if (this.#state === 'running') event.task?.()
    else if (this.#state === 'frozen') this.#held.push(event)
  }

  /** Runs `task` at once where the machine is awake and not slow, else as `after` would. */
  now(task: () => void): void {
    if (this.#state === 'running' && this.slownessMs === 0) task()
    else this.later(0, task)
  }

  /** Told at the moment of death: connections break. */
  onDeath(task: () => void): void {
    this.#onDeath.push(task)
  }

  /** Told at the moment it stops: what is under way it can no longer cut off. */
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

  /** Wakes with everything that came meanwhile, in order. */
  revive(): void {
    if (this.#state !== 'frozen') return
    this.#state = 'running'
    for (const event of this.#held.splice(0)) this.#time.again(event, this.slownessMs)
  }
}
