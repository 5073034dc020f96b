import type { LaneLoad, WaitingCell } from '../../../ledger/index.js'
import type { CellId } from '../../../model/index.js'
import type { AgentView, BoundCell, LanePlan } from '../index.js'

/** Any lane of the agent. */
const NO_LANE = 0

/**
 * Owners of the pieces of split sites that the routing table does not know, because the site was split during
 * the crawl, or whose part has no owner. A piece goes to the agent with the fewest waiting URLs in such
 * pieces, and stays with it. The ledger stores these owners as bindings, so the next coordinator continues
 * with them.
 */
export class PieceOwners implements LanePlan {
  /** Names of agents, for the cells seen since this coordinator started. */
  readonly #owners = new Map<CellId, string>()
  /** The waiting URLs that each agent was given, by name. */
  readonly #loads = new Map<string, number>()
  /** Whether `restore` has counted the cells of the previous coordinator. */
  #knowsLoads = false
  #new: BoundCell[] = []
  #agents = new Map<string, AgentView>()

  restore(loads: readonly LaneLoad[]): void {
    this.#knowsLoads = true
    for (const { agent, size } of loads) this.#load(agent, size)
  }

  takeNew(): readonly BoundCell[] {
    const bound = this.#new
    this.#new = []
    return bound
  }

  meet(agents: readonly AgentView[]): void {
    this.#agents = new Map(agents.map(agent => [agent.name, agent]))
  }

  /** Null for a cell that was not placed, and while its agent is absent. */
  ownerOf(cell: CellId): AgentView | null {
    const owner = this.#owners.get(cell)
    return owner === undefined ? null : (this.#agents.get(owner) ?? null)
  }

  /** Places the heaviest pieces first: the lightest balance them best. */
  place(pieces: readonly WaitingCell[]): void {
    const fresh = pieces.filter(row => this.ownerOf(row.cell) === null && !this.#recall(row))
    for (const row of fresh.sort((a, b) => sizeOf(b) - sizeOf(a) || (a.cell < b.cell ? -1 : 1))) {
      const agent = this.#leastLoaded()
      if (agent === null) return
      this.#owners.set(row.cell, agent)
      this.#load(agent, sizeOf(row))
      this.#new.push({ cell: row.cell, agent, lane: NO_LANE })
    }
  }

  /** Takes over an owner that an earlier coordinator chose, if the agent is present. */
  #recall(row: WaitingCell): boolean {
    if (row.boundTo === null || !this.#agents.has(row.boundTo.agent)) return false
    this.#owners.set(row.cell, row.boundTo.agent)
    if (!this.#knowsLoads) this.#load(row.boundTo.agent, sizeOf(row))
    return true
  }

  #load(agent: string, size: number): void {
    this.#loads.set(agent, (this.#loads.get(agent) ?? 0) + size)
  }

  #leastLoaded(): string | null {
    const names = [...this.#agents.keys()].sort()
    const loadOf = (name: string) => this.#loads.get(name) ?? 0
    return names.reduce<string | null>(
      (best, name) => (best === null || loadOf(name) < loadOf(best) ? name : best),
      null,
    )
  }
}

function sizeOf({ size, backlog }: WaitingCell): number {
  return Math.max(1, size, backlog)
}
