/**
 * The connection of a machine to the ledger. It takes time, breaks, and loses answers to calls that were
 * carried out. Calls and answers of one machine keep their order, as on one TCP connection.
 */

import { type Ledger, LedgerError, ledgerOfCalls } from '../../ledger/index.js'
import type { Millis, Random } from '../../model/index.js'
import { TIMEOUT_MS } from '../limits.js'
import type { Machine, VirtualTime } from '../machines/index.js'

export type LedgerMethod = Exclude<keyof Ledger, 'close'>

/** Sees each call and its answer at the moment the ledger answers. */
export interface LedgerWitness {
  called(method: LedgerMethod, args: readonly unknown[], answer: unknown): void
}

/** The state of ledger and network, the same for all machines. */
export interface LedgerConditions {
  /** Nobody can reach the ledger. */
  isLedgerAway: boolean
  /** The chance that the answer to a commit of pages or links is lost. */
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

const SLOW_ANSWERS = 0.25
/** Shared, because creating an error is slow: it records the stack. */
const NO_ANSWER = new LedgerError('away', 'the ledger does not answer')

const WRITES_LINKS: ReadonlySet<LedgerMethod> = new Set<LedgerMethod>(['commit', 'appendLinks'])

type AnyCall = (...args: readonly unknown[]) => Promise<unknown>

export function flakyLedger(parts: FlakyLedgerParts): Ledger {
  const connection = new Connection(parts)
  return ledgerOfCalls(name => {
    const call = parts.ledger[name] as AnyCall
    const remote: AnyCall = name === 'close' ? async () => {} : (...args) => connection.send(name, call, args)
    return remote as Ledger[typeof name]
  })
}

class Connection {
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
      // A call that was sent arrives, even if the machine dies meanwhile.
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
   * Most answers arrive at once, and the call itself took all of the time: the caller notices no difference
   * unless it fails in between. So that this happens too, a share of the answers and all answers to commits
   * take time.
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
