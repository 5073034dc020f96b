/**
 * Pieces of split sites that no routing table knows: a site has turned out to be a giant while the crawl
 * runs, or the agent of their part is gone. Each goes to the agent that has been given least of such, by the
 * URLs that wait in them, and stays with it. That is written down like what is bound to lanes, so the next
 * coordinator goes on with it.
 */
import type { LaneLoad, LaneName, WaitingCell } from '../../../ledger/index.js'
import type { CellId } from '../../../model/index.js'
import type { AgentView, LanePlan } from '../index.js'

/** Any of the agent's. */
const NO_LANE = 0

export class PieceOwners implements LanePlan {
  /** Agents by name, of cells that wait or were leased since we began. */
  readonly #owners = new Map<CellId, string>()
  /** What each agent has been given, by name. */
  readonly #loads = new Map<string, number>()
  /** What the ledger has counted before we began is not counted again. */
  #knowsLoads = false
  #new: (LaneName & { readonly cell: CellId })[] = []
  #agents = new Map<string, AgentView>()

  restore(loads: readonly LaneLoad[]): void {
    this.#knowsLoads = true
    for (const { agent, size } of loads) this.#load(agent, size)
  }

  takeNew(): readonly (LaneName & { readonly cell: CellId })[] {
    const placed = this.#new
    this.#new = []
    return placed
  }

  meet(agents: readonly AgentView[]): void {
    this.#agents = new Map(agents.map(agent => [agent.name, agent]))
  }

  /** Null for a cell that was not placed, and while its agent is gone. */
  ownerOf(cell: CellId): AgentView | null {
    const owner = this.#owners.get(cell)
    return owner === undefined ? null : (this.#agents.get(owner) ?? null)
  }

  /** The heaviest first: what comes last has to even out what came before. */
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

  /** Placed by a coordinator before this one, with an agent that is here. */
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
