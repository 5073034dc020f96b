/**
 * For fault tests only: `ORBWEAVER_FAULTS=lease=4000,inject=FILE` makes leases short and lets SIGUSR2 inject
 * the fault that the file names at that time. It is injected at the worst moment, not at any:
 *
 *   kill     the next agent whose pack is stored and not committed ends like one that crashed
 *   freeze   the next such agent stands still until another has brought pages of one of the pack's sites
 *   finish   nobody sees new links until one who thinks that its site is done has been told that it is not
 *
 * With `phase-skew=MS` the phase clocks of agents are wrong and do not know it, one by so much ahead, the
 * next by so much behind. With `rounds=MS` the coordinator looks around only so often, and hears and says
 * nothing in between. With `drop-notices` agents are not told of new rows: the bus may lose any message. With
 * `acks=FILE` every pack that the ledger acknowledges is noted in that file, outside of it, when its answer
 * comes. See CONTRIBUTING.md.
 */
import { readFileSync } from 'node:fs'
import { LEASE_MS } from '../cluster/agent/heartbeat/index.js'
import type { Millis } from '../model/index.js'

const INJECTED_FAULTS = ['kill', 'freeze', 'finish'] as const

export type InjectedFault = (typeof INJECTED_FAULTS)[number]

export interface Faults {
  readonly leaseMs: Millis | null
  readonly phaseSkewMs: Millis
  /** Null where the coordinator is as quick as it can be. */
  readonly roundsMs: Millis | null
  readonly dropsNotices: boolean
  /** Where acknowledged packs are noted. */
  readonly acks: string | null
  /** Null when nothing is asked for: then nobody looks. */
  readonly injectedFaults: FaultMailbox | null
  /** What the next signal does. */
  next(): InjectedFault | null
}

export function readFaults(text: string | undefined): Faults {
  let file: string | null = null
  let leaseMs: Millis | null = null
  let phaseSkewMs: Millis = 0
  let roundsMs: Millis | null = null
  let dropsNotices = false
  let acks: string | null = null
  for (const word of (text ?? '').split(',')) {
    const [name, value] = word.split('=')
    if (name === 'lease') leaseMs = Number(value)
    if (name === 'phase-skew') phaseSkewMs = Number(value)
    if (name === 'rounds') roundsMs = Number(value)
    if (name === 'drop-notices') dropsNotices = true
    if (name === 'acks') acks = value
    if (name === 'inject') file = value
  }
  return {
    leaseMs,
    phaseSkewMs,
    roundsMs,
    dropsNotices,
    acks,
    injectedFaults: file === null ? null : new FaultMailbox(),
    next: () => (file === null ? null : faultIn(readFileSync(file, 'utf8'))),
  }
}

/** How long a lease lasts in this process. */
export function leaseNow(): Millis {
  return readFaults(process.env.ORBWEAVER_FAULTS).leaseMs ?? LEASE_MS
}

function faultIn(text: string): InjectedFault | null {
  return INJECTED_FAULTS.find(known => known === text.trim()) ?? null
}

/** In memory that all threads share. */
const DUE = 0
const THAWS = 1

/** The fault to inject next, into whichever agent meets it, and the semaphore on which frozen agents wait. */
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

  /** True for the one who meets it. */
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
