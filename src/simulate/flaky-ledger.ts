/**
 * The way from a machine to the ledger: it takes time, breaks off, and loses answers to calls that were
 * carried out. Calls of one machine arrive in the order they were sent, and so do their answers, as on one
 * connection.
 */
import { type Ledger, LedgerError, ledgerOfCalls } from '../ledger/index.js'
import type { Millis, Random } from '../model/index.js'
import type { Machine } from './machine.js'
import type { VirtualTime } from './virtual-time.js'

export type LedgerMethod = Exclude<keyof Ledger, 'close'>

/** Sees what the ledger is asked and what it answers, at the moment it does. */
export interface LedgerWitness {
  called(method: LedgerMethod, args: readonly unknown[], answer: unknown): void
}

/** What the network does to everybody. */
export interface LedgerConditions {
  /** Nobody reaches the ledger. */
  isLedgerAway: boolean
  /** Chance that the answer to a commit of pages or links is lost. */
  lostAnswers: number
  latencyMs: Millis
}

export const GOOD_CONDITIONS: LedgerConditions = { isLedgerAway: false, lostAnswers: 0, latencyMs: 2 }

export interface FlakyLedgerParts {
  readonly ledger: Ledger
  readonly machine: Machine
  readonly time: VirtualTime
  readonly random: Random
  readonly ledgerConditions: LedgerConditions
  readonly witness: LedgerWitness
}

/** How long a caller waits for an answer that does not come. */
const TIMEOUT_MS = 2_000
const SLOW_ANSWERS = 0.25
/** One for all: what it costs to make an error is to write down where. */
const NO_ANSWER = new LedgerError('away', 'the ledger does not answer')

const WRITES_LINKS: ReadonlySet<LedgerMethod> = new Set<LedgerMethod>(['commit', 'appendLinks'])

type AnyCall = (...args: readonly unknown[]) => Promise<unknown>

export function flakyLedger(parts: FlakyLedgerParts): Ledger {
  const line = new Line(parts)
  return ledgerOfCalls(name => {
    const call = parts.ledger[name] as AnyCall
    const far: AnyCall = name === 'close' ? async () => {} : (...args) => line.send(name, call, args)
    return far as Ledger[typeof name]
  })
}

class Line {
  readonly #parts: FlakyLedgerParts
  #lastArrival: Millis = 0
  #lastAnswer: Millis = 0

  constructor(parts: FlakyLedgerParts) {
    this.#parts = parts
  }

  send(method: LedgerMethod, call: AnyCall, args: readonly unknown[]): Promise<unknown> {
    const { time } = this.#parts
    this.#lastArrival = Math.max(time.now + this.#latency(), this.#lastArrival)
    return new Promise((resolve, reject) => {
      // Once sent it arrives, whatever becomes of the machine.
      time.later(this.#lastArrival - time.now, () => this.#arrive(method, call, args, resolve, reject))
    })
  }

  #arrive(
    method: LedgerMethod,
    call: AnyCall,
    args: readonly unknown[],
    resolve: (value: unknown) => void,
    reject: (error: Error) => void,
  ): void {
    const { machine, random, ledgerConditions, witness } = this.#parts
    if (ledgerConditions.isLedgerAway || machine.isCutOff) {
      this.#noAnswer(reject)
      return
    }
    call(...args).then(answer => {
      witness.called(method, args, answer)
      const isLost =
        WRITES_LINKS.has(method) &&
        ledgerConditions.lostAnswers > 0 &&
        random.next() < ledgerConditions.lostAnswers
      if (isLost) this.#noAnswer(reject)
      else this.#answer(method, () => resolve(answer))
    }, reject)
  }

  #noAnswer(reject: (error: Error) => void): void {
    this.#parts.machine.later(TIMEOUT_MS, () => reject(NO_ANSWER))
  }

  /**
   * Most answers are there as soon as they are given, and all of the time was spent on the way to the ledger:
   * who asks cannot tell, unless something befalls it in between. So a part of the answers, and all to
   * commits, take their time.
   */
  #answer(method: LedgerMethod, task: () => void): void {
    const { time, machine, random, ledgerConditions } = this.#parts
    const isQuick = method !== 'commit' && ledgerConditions.latencyMs <= GOOD_CONDITIONS.latencyMs
    if (isQuick && this.#lastAnswer <= time.now && random.next() >= SLOW_ANSWERS) {
      machine.now(task)
      return
    }
    this.#lastAnswer = Math.max(time.now + this.#latency(), this.#lastAnswer)
    machine.later(this.#lastAnswer - time.now, task)
  }

  #latency(): Millis {
    const { random, ledgerConditions } = this.#parts
    return ledgerConditions.latencyMs * (0.5 + random.next())
  }
}
