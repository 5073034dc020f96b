import type { Incarnation, WaitingCell } from '../../../ledger/index.js'
import { type CellId, Heap } from '../../../model/index.js'
import type { AgentView } from '../index.js'
import { FreeLanes, type GrantRound } from '../simple/index.js'

type CostFor = (agent: AgentView) => (cell: CellId) => number

/** A waiting site, and the number of links that must travel if an agent takes it. */
interface Candidate {
  readonly row: WaitingCell
  readonly cost: number
  /** The position in the queue. */
  readonly place: number
}

/**
 * The second half of `hybrid`: sites whose own agent has no free lane, and sites without an owner, go to
 * agents with free lanes. The load decides how many sites an agent gets; then each agent takes those for
 * which the fewest links have to travel. So no lane is idle while a site waits. Pieces of split sites are not
 * among `waiting`: they share a turn, so another agent could not crawl them sooner, and they were placed for
 * balance.
 */
export function spreadRest(
  waiting: readonly WaitingCell[],
  agents: readonly AgentView[],
  round: GrantRound,
  costFor: CostFor,
): void {
  let rest: WaitingCell[] = []
  for (const row of waiting) {
    const holder = round.holderOf(row)
    if (holder === null) rest.push(row)
    else round.give(row, holder)
  }
  const free = agents.map(view => round.left(view)).filter(({ freeLanes }) => freeLanes > 0)
  const quotas = quotasOf(free, rest.length)
  // The agent with the most free lanes chooses first.
  free.sort((a, b) => b.freeLanes - a.freeLanes || (a.name < b.name ? -1 : 1))
  for (const agent of free) {
    const quota = quotas.get(agent.incarnation) ?? 0
    if (quota > 0) rest = takeCheapest(rest, agent, quota, round, costFor)
  }
}

function quotasOf(free: readonly AgentView[], sites: number): ReadonlyMap<Incarnation, number> {
  const lanes = new FreeLanes(free)
  const quotas = new Map<Incarnation, number>()
  for (let i = 0; i < sites; i++) {
    const agent = lanes.first
    if (agent === null) break
    lanes.take(agent)
    quotas.set(agent, (quotas.get(agent) ?? 0) + 1)
  }
  return quotas
}

/** Grants an agent the cheapest sites, up to its quota; returns the others. */
function takeCheapest(
  waiting: WaitingCell[],
  agent: AgentView,
  quota: number,
  round: GrantRound,
  costFor: CostFor,
): WaitingCell[] {
  const costOf = costFor(agent)
  const candidates: Candidate[] = []
  for (const [place, row] of waiting.entries()) {
    const holder = round.holderOf(row)
    if (holder === null || holder === agent.incarnation)
      candidates.push({ row, cost: costOf(row.cell), place })
  }
  const cheapest = new Heap<Candidate>(
    (a, b) => a.cost < b.cost || (a.cost === b.cost && a.place < b.place),
    candidates,
  )
  const given = new Set<WaitingCell>()
  for (let best = cheapest.shift(); best !== undefined; best = cheapest.shift()) {
    if (round.give(best.row, agent.incarnation)) given.add(best.row)
    if (given.size === quota) break
  }
  return given.size === 0 ? waiting : waiting.filter(row => !given.has(row))
}
