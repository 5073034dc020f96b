/**
 * An agent that has run dry takes sites over: those that have more than their share are asked to give some
 * back. They choose which, commit what they have of them and release them to S, where the dry agent is first
 * in line because it has the least load. The share goes by lanes: what a machine has free at the moment says
 * what its agent had to do.
 *
 * So that sites do not go back and forth: an agent is dry with half of its share at most, by two heartbeats
 * in a row; others give no more than what they have above their share; and there is a pause before the next
 * request.
 */
import type { Bus } from '../../bus/index.js'
import type { Incarnation } from '../../ledger/index.js'
import type { Clock, Millis } from '../../model/index.js'
import type { AgentLoad } from './agent-registry.js'

/** Part of its share below which an agent counts as dry. */
const DRY_PART = 1 / 2
/** Sites are committed, released, leased and opened meanwhile, and heartbeats tell of it. */
const PAUSE_MS: Millis = 5_000

export class SiteTakeover {
  readonly #clock: Clock
  readonly #bus: Bus
  /** Agents that are dry, and the first heartbeat that said so. */
  #dry: ReadonlyMap<Incarnation, number> = new Map()
  #nextAt: Millis = 0

  constructor(clock: Clock, bus: Bus) {
    this.#clock = clock
    this.#bus = bus
  }

  /** With every beat. A request that the bus loses is made again after the pause. */
  look(agents: readonly AgentLoad[]): void {
    const shares = sharesOf(agents)
    const dry = agents.filter((agent, i) => isDry(agent, shares[i]))
    const since = new Map(
      dry.map(({ incarnation, heartbeat }) => [incarnation, this.#dry.get(incarnation) ?? heartbeat]),
    )
    this.#dry = since
    const now = this.#clock.monotonic()
    const isDue = dry.some(({ incarnation, heartbeat }) => since.get(incarnation) !== heartbeat)
    if (!isDue || now < this.#nextAt) return
    for (const [i, { incarnation, busySites, spareGroups }] of agents.entries()) {
      const groups = Math.min(spareGroups, Math.floor(busySites - shares[i]))
      if (groups <= 0) continue
      this.#bus.send({ kind: 'spare', to: incarnation, groups })
      this.#nextAt = now + PAUSE_MS
    }
  }
}

function isDry({ freeLanes, busySites }: AgentLoad, share: number): boolean {
  return freeLanes > 0 && busySites <= share * DRY_PART
}

/**
 * Of the sites that are being crawled, how many each agent would have if all had as many for each of their
 * lanes.
 */
function sharesOf(agents: readonly AgentLoad[]): number[] {
  const sites = agents.reduce((sum, { busySites }) => sum + busySites, 0)
  const lanes = agents.reduce((sum, agent) => sum + agent.lanes, 0)
  return agents.map(agent => (sites * agent.lanes) / Math.max(1, lanes))
}
