import type { WaitingCell } from '../../../ledger/index.js'
import type { AgentView, Assigned, Assignment } from '../index.js'
import { FreeLanes } from './free-lanes.js'
import { GrantRound } from './grant-round.js'

/**
 * Algorithm 3.1 of the dynamic partition paper (D14, D15): the queue is ordered by size, the free lanes by
 * capacity and load; the first site goes to the first lane, and a lane that is done takes the head of the
 * queue.
 */
export class DynamicAssignment implements Assignment {
  readonly name = 'dynamic'
  readonly looksAt = 'head'

  assign(waiting: readonly WaitingCell[], agents: readonly AgentView[]): Assigned {
    const round = new GrantRound(agents)
    const lanes = new FreeLanes(agents)
    for (const row of waiting) {
      if (round.isOver) break
      const agent = round.holderOf(row) ?? lanes.first
      if (agent !== null && round.give(row, agent)) lanes.take(agent)
    }
    return round
  }
}
