/**
 * `ORBWEAVER_FAULTS=lease=4000,inject=FILE` makes leases short and lets SIGUSR2 inject the fault that the
 * file names at that time (CONTRIBUTING.md has all words). A fault is injected where it matters most:
 *
 *   kill     the next agent whose pack is stored and not committed ends like one that crashed
 *   freeze   the next such agent stands still until another has committed pages of one of the pack's sites
 *   finish   no agent sees new links until one that is about to finish its site has been refused
 */
import { readFileSync } from 'node:fs'
import type { Millis } from '../../../src/model/index.js'

const INJECTED_FAULTS = ['kill', 'freeze', 'finish'] as const

export type InjectedFault = (typeof INJECTED_FAULTS)[number]

export interface Faults {
  /** Null: as in production. */
  readonly leaseMs: Millis | null
  /** The phase clocks of agents are off without knowing it, one ahead, the next behind. */
  readonly phaseSkewMs: Millis
  /** The coordinator acts only so often, and neither receives nor sends anything; null: as in production. */
  readonly roundsMs: Millis | null
  /** Agents are not told of new rows: the bus may lose any message. */
  readonly dropsNotices: boolean
  /** The file in which acknowledged packs are recorded. */
  readonly acks: string | null
  /** The file that names the fault to inject. */
  readonly inject: string | null
}

export function readFaults(text = ''): Faults {
  const values = new Map(text.split(',').map(word => word.split('=') as [string, string]))
  const millis = (name: string) => (values.has(name) ? Number(values.get(name)) : null)
  return {
    leaseMs: millis('lease'),
    phaseSkewMs: millis('phase-skew') ?? 0,
    roundsMs: millis('rounds'),
    dropsNotices: values.has('drop-notices'),
    acks: values.get('acks') ?? null,
    inject: values.get('inject') ?? null,
  }
}

export function faultIn(file: string): InjectedFault | null {
  const text = readFileSync(file, 'utf8').trim()
  return INJECTED_FAULTS.find(known => known === text) ?? null
}

/** In memory that all threads share. */
const DUE = 0
const THAWS = 1

/** The fault to inject next, into the first agent that reaches its place, and where frozen agents wait. */
export class FaultMailbox {
  readonly memory: SharedArrayBuffer
  readonly #words: Int32Array

  constructor(memory = new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT)) {
    this.memory = memory
    this.#words = new Int32Array(memory)
  }

  post(fault: InjectedFault): void {
    Atomics.store(this.#words, DUE, INJECTED_FAULTS.indexOf(fault) + 1)
  }

  isDue(fault: InjectedFault): boolean {
    return Atomics.load(this.#words, DUE) === INJECTED_FAULTS.indexOf(fault) + 1
  }

  /** True for the first agent that asks. */
  take(fault: InjectedFault): boolean {
    const due = INJECTED_FAULTS.indexOf(fault) + 1
    return Atomics.compareExchange(this.#words, DUE, due, 0) === due
  }

  /** The whole thread stands still until the next thaw. */
  standStill(): void {
    Atomics.wait(this.#words, THAWS, Atomics.load(this.#words, THAWS))
  }

  thaw(): void {
    Atomics.add(this.#words, THAWS, 1)
    Atomics.notify(this.#words, THAWS)
  }
}
