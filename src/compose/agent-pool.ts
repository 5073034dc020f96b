/** The agents of this machine, seen from the session that started them. */
import type { AgentEnd } from '../cluster/agent/index.js'
import type { Incarnation } from '../ledger/index.js'
import type { AgentProgress } from '../report/index.js'
import { AgentHost, type AgentOrder, type HostParts } from './agent-host.js'

export interface AgentPool {
  /** Resolves when all have ended; rejects when the crawl cannot go on. */
  run(): Promise<AgentEnd>
  /** Each seals what it has and ends. */
  stop(): void
  /** With an empty detail the disk is well again. */
  setDiskTrouble(detail: string): void
  progress(): readonly AgentProgress[]
  /** A incarnation of this crew that may still write to its files. */
  isAlive(incarnation: Incarnation): boolean
}

/** One agent, in the thread of the session: nothing has to be sent to it. */
export class LocalAgentPool implements AgentPool {
  readonly #host: AgentHost
  readonly #incarnation: Incarnation
  #isOver = false

  static async open(order: AgentOrder, parts: HostParts): Promise<LocalAgentPool> {
    return new LocalAgentPool(await AgentHost.open(order, parts), order.incarnation)
  }

  private constructor(host: AgentHost, incarnation: Incarnation) {
    this.#host = host
    this.#incarnation = incarnation
  }

  async run(): Promise<AgentEnd> {
    try {
      return await this.#host.run()
    } finally {
      this.#isOver = true
    }
  }

  stop(): void {
    this.#host.stop()
  }

  setDiskTrouble(detail: string): void {
    this.#host.setDiskTrouble(detail)
  }

  progress(): readonly AgentProgress[] {
    return [this.#host.progress()]
  }

  isAlive(incarnation: Incarnation): boolean {
    return incarnation === this.#incarnation && !this.#isOver
  }
}
