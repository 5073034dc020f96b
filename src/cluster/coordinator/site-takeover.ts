/**
 * Moves sites to agents without enough work. Agents with more than their share are asked to release some.
 * They choose which, commit their pages and release them to the queue; the idle agent gets them because it
 * has the least load. Shares are proportional to lanes, not to free capacity, because free capacity depends
 * on the work that an agent has had.
 *
 * Sites must not go back and forth: an agent is idle only if two heartbeats in a row say that it has at most
 * half of its share, the others release only what they have above their share, and requests pause.
 */

import type { Bus } from '../../bus/index.js'
import type { Incarnation } from '../../ledger/index.js'
import type { Clock, Millis } from '../../model/index.js'
import { SITE_TAKEOVER_PAUSE_MS } from '../limits.js'
import type { AgentLoad } from './agent-registry.js'

/** The part of its share up to which an agent counts as idle. */
const IDLE_PART = 1 / 2

export class SiteTakeover {
  readonly #clock: Clock
  readonly #bus: Bus
  /** Idle agents, and the first heartbeat that said so. */
  #idle: ReadonlyMap<Incarnation, number> = new Map()
  #nextAt: Millis = 0

  constructor(clock: Clock, bus: Bus) {
    this.#clock = clock
    this.#bus = bus
  }

  /** Called with every beat. A request that the bus loses is repeated after the pause. */
  look(agents: readonly AgentLoad[]): void {
    const shares = sharesOf(agents)
    const idle = agents.filter((agent, i) => isIdle(agent, shares[i]))
    const since = new Map(
      idle.map(({ incarnation, heartbeat }) => [incarnation, this.#idle.get(incarnation) ?? heartbeat]),
    )
    this.#idle = since
    const now = this.#clock.monotonic()
    const isDue = idle.some(({ incarnation, heartbeat }) => since.get(incarnation) !== heartbeat)
    if (!isDue || now < this.#nextAt) return
    for (const [i, { incarnation, busySites, spareGroups }] of agents.entries()) {
      const groups = Math.min(spareGroups, Math.floor(busySites - shares[i]))
      if (groups <= 0) continue
      this.#bus.send({ kind: 'spare', to: incarnation, groups })
      this.#nextAt = now + SITE_TAKEOVER_PAUSE_MS
    }
  }
}

function isIdle({ freeLanes, busySites }: AgentLoad, share: number): boolean {
  return freeLanes > 0 && busySites <= share * IDLE_PART
}

/** How many of the busy sites each agent would have if all had the same number per lane. */
function sharesOf(agents: readonly AgentLoad[]): number[] {
  const sites = agents.reduce((sum, { busySites }) => sum + busySites, 0)
  const lanes = agents.reduce((sum, agent) => sum + agent.lanes, 0)
  return agents.map(agent => (sites * agent.lanes) / Math.max(1, lanes))
}
