/** The agents of this machine, seen from the session that started them. */
import { type AgentEnd, type AgentProgress, FencedError } from '../agent/index.js'
import type { Incarnation } from '../cluster/index.js'
import { AgentHost, type AgentOrder, type HostParts } from './agent-host.js'

export interface Crew {
  /** Resolves when all have ended; rejects when the crawl cannot go on. */
  run(): Promise<AgentEnd>
  /** Each seals what it has and ends. */
  stop(): void
  /** Resolves when everything fetched so far is committed. */
  seal(): Promise<void>
  /** With an empty detail the disk is well again. */
  setDiskTrouble(detail: string): void
  progress(): readonly AgentProgress[]
  /** A life of this crew that may still write to its files. */
  isAlive(incarnation: Incarnation): boolean
}

/** How an agent whose life the ledger has ended begins another one: what it is to know then. */
export type NewLife = (ended: Incarnation) => Promise<AgentOrder>

/** One agent, in the thread of the session: nothing has to be sent to it. */
export class LocalCrew implements Crew {
  readonly #parts: HostParts
  readonly #newLife: NewLife | null
  /** What earlier lives have told last. */
  readonly #past: AgentProgress[] = []
  #host: AgentHost
  #incarnation: Incarnation
  #isStopping = false
  #isOver = false

  /** Without `newLife` there is nobody who could end a life but the session. */
  static async open(order: AgentOrder, parts: HostParts, newLife: NewLife | null): Promise<LocalCrew> {
    return new LocalCrew(await AgentHost.open(order, parts), order.incarnation, parts, newLife)
  }

  private constructor(host: AgentHost, incarnation: Incarnation, parts: HostParts, newLife: NewLife | null) {
    this.#host = host
    this.#incarnation = incarnation
    this.#parts = parts
    this.#newLife = newLife
  }

  async run(): Promise<AgentEnd> {
    try {
      for (;;) {
        const end = await this.#host.run().catch(error => this.#revive(error))
        if (end !== null) return end
      }
    } finally {
      this.#isOver = true
    }
  }

  /** Fenced off: it held still, or was kept from speaking, for too long. */
  async #revive(error: unknown): Promise<null> {
    if (!(error instanceof FencedError) || !this.#newLife) throw error
    this.#past.push({
      ...this.#host.progress(),
      queued: 0,
      sites: 0,
      activeSites: 0,
      inFlight: 0,
      waiting: '',
    })
    const order = await this.#newLife(this.#incarnation)
    this.#incarnation = order.incarnation
    this.#host = await AgentHost.open(order, this.#parts)
    if (this.#isStopping) this.#host.stop()
    return null
  }

  stop(): void {
    this.#isStopping = true
    this.#host.stop()
  }

  seal(): Promise<void> {
    return this.#host.seal()
  }

  setDiskTrouble(detail: string): void {
    this.#host.setDiskTrouble(detail)
  }

  progress(): readonly AgentProgress[] {
    return [this.#host.progress(), ...this.#past]
  }

  isAlive(incarnation: Incarnation): boolean {
    return incarnation === this.#incarnation && !this.#isOver
  }
}
