/**
 * The real assignments over lanes that only take time, without a crawl around them: the reference for the
 * simulated and the real crawl of the experiment `dynamic-balance`.
 */

import {
  AGENTS,
  type Balance,
  balanceOf,
  type KnownSite,
  LANES_PER_AGENT,
  type Method,
  startingOrder,
} from '../../experiments/dynamic-balance.js'
import { chooseAssignment } from '../../src/compose/index.js'
import type { WaitingCell } from '../../src/ledger/index.js'
import { type Millis, SeededRandom } from '../../src/model/index.js'
import type { AgentView } from '../../src/plan/assign/index.js'

interface BusyLane {
  readonly agent: number
  readonly lane: number
  readonly until: Millis
}

export function simulateLanes(method: Method, sites: readonly KnownSite[], seed: number): Balance {
  const assignment = chooseAssignment(method.assign, new SeededRandom(seed))
  const bySite = new Map(sites.map(site => [`${site.site}`, site]))
  let waiting = startingOrder(method, sites, seed).map((site, rank) => row(bySite.get(`${site}`)!, rank))
  const times = new Array<Millis>(AGENTS * LANES_PER_AGENT).fill(0)
  let busy: BusyLane[] = []
  for (let now = 0; waiting.length > 0; ) {
    const { given } = assignment.assign(waiting, views(busy))
    for (const [agent, cells] of given) {
      for (const cell of cells) {
        const lane = assignment.laneOf?.(cell) || freeLane(busy, agent)
        const { downloadMs } = bySite.get(cell)!
        times[(agent - 1) * LANES_PER_AGENT + lane - 1] += downloadMs
        busy.push({ agent, lane, until: now + downloadMs })
      }
      waiting = waiting.filter(({ cell }) => !cells.includes(cell))
    }
    now = Math.min(...busy.map(({ until }) => until))
    busy = busy.filter(({ until }) => until > now)
  }
  return balanceOf(method, times)
}

function row({ site, size }: KnownSite, rank: number): WaitingCell {
  return {
    cell: `${site}`,
    group: `${site}`,
    rank,
    size,
    backlog: 1,
    turnOf: null,
    turn: `${site}`,
    boundTo: null,
  }
}

function views(busy: readonly BusyLane[]): AgentView[] {
  return Array.from({ length: AGENTS }, (_, i) => {
    const busyLanes = busy.filter(({ agent }) => agent === i + 1).map(({ lane }) => lane)
    return {
      name: `agent-${i + 1}`,
      incarnation: i + 1,
      lanes: LANES_PER_AGENT,
      freeLanes: LANES_PER_AGENT - busyLanes.length,
      held: busyLanes.length,
      busyLanes,
      capacity: 1,
    }
  })
}

function freeLane(busy: readonly BusyLane[], agent: number): number {
  for (let lane = 1; ; lane++) if (!busy.some(each => each.agent === agent && each.lane === lane)) return lane
}
