/**
 * Publishes what agents with a routing table need (S2): the members and the owners of the parts, in settings
 * that come with every heartbeat. The next coordinator continues with them. Also counts granted and claimed
 * cells.
 */

import type { Bus } from '../../bus/index.js'
import type { AgentRow, Ledger } from '../../ledger/index.js'
import type { Clock, Millis } from '../../model/index.js'
import type { Assignment } from '../../plan/assign/index.js'
import { PART_OWNERS, ROUTING_MEMBERS, ROUTING_STAGE, stageIn } from '../../plan/assign/learned/index.js'
import { ROUTE_PUBLISHER_SAVE_MS } from '../limits.js'
import type { AgentRegistry } from './agent-registry.js'
import { CellAccount } from './cell-account.js'

/** The stage of the first table of a crawl. */
export const FIRST_STAGE = 1

/**
 * Begins a stage: agents replace their tables before they claim more cells. A new coordinator begins one too,
 * because its predecessor may have died after it wrote a table and before it wrote the stage. Returns 0 if
 * there is no table yet and `settings` is absent.
 */
export async function newStage(ledger: Ledger, settings?: Readonly<Record<string, string>>): Promise<number> {
  const stage = stageIn(await ledger.settings())
  if (stage === 0 && settings === undefined) return 0
  await ledger.set({ ...settings, [ROUTING_STAGE]: String(stage + 1) })
  return stage + 1
}

export class RoutePublisher {
  readonly #clock: Clock
  readonly #ledger: Ledger
  readonly #bus: Bus
  readonly #assignment: Assignment
  readonly account = new CellAccount()
  /** The members, their incarnations and the stage as last published. */
  #membersText = ''
  #incarnations = ''
  #stage = 0
  #saveAt: Millis = 0

  constructor(clock: Clock, ledger: Ledger, bus: Bus, assignment: Assignment) {
    this.#clock = clock
    this.#ledger = ledger
    this.#bus = bus
    this.#assignment = assignment
  }

  /** Called when the coordinator has taken the seat. */
  async restore(): Promise<void> {
    const { owners } = this.#assignment
    if (!owners) return
    const settings = await this.#ledger.settings()
    this.account.restore(settings)
    this.#membersText = settings[ROUTING_MEMBERS] ?? ''
    owners.restore(JSON.parse(settings[PART_OWNERS] ?? '[]') as string[])
  }

  /** Called with every beat of the coordinator. */
  async look(rows: readonly AgentRow[], agents: AgentRegistry): Promise<void> {
    if (!this.#assignment.owners) return
    this.#count(agents)
    this.account.look(rows)
    // The assignment must know the agents before it can name the owners.
    this.#assignment.assign([], agents.views())
    await this.publish()
    if (this.#clock.monotonic() >= this.#saveAt) await this.#save(agents)
  }

  /** Saves the decisions of the assignment. Call it before any cell is leased by them. */
  async publish(): Promise<void> {
    const { owners, routes } = this.#assignment
    if (!owners) return
    const changed = owners.takeChanged()
    const members = routes?.members ?? []
    const membersText = JSON.stringify(members)
    const stage = routes?.stage ?? 0
    if (changed === null && membersText === this.#membersText && stage === this.#stage) return
    this.#membersText = membersText
    const incarnations = members.map(({ incarnation }) => incarnation).join()
    const isUrgent = changed !== null || incarnations !== this.#incarnations || stage !== this.#stage
    this.#incarnations = incarnations
    this.#stage = stage
    await this.#ledger.set({
      [ROUTING_MEMBERS]: membersText,
      ...(changed && { [PART_OWNERS]: JSON.stringify(changed) }),
    })
    // Capacities change all the time: the next heartbeat brings them soon enough.
    if (isUrgent) this.#bus.send({ kind: 'routes' })
  }

  /** The crawl is over: saves the last counts. */
  async close(agents: AgentRegistry): Promise<void> {
    if (!this.#assignment.owners) return
    agents.look(await this.#ledger.agents())
    await this.#save(agents)
  }

  async #save(agents: AgentRegistry): Promise<void> {
    this.#saveAt = this.#clock.monotonic() + ROUTE_PUBLISHER_SAVE_MS
    this.#count(agents)
    const changed = this.account.takeChanged()
    if (changed !== null) await this.#ledger.set(changed)
  }

  #count(agents: AgentRegistry): void {
    for (const [incarnation, cells] of agents.claimed()) this.account.claimed(incarnation, cells)
  }
}
