/**
 * Algorithm 3.1 of the dynamic partition paper (D14, D15): the queue is ordered by size, P by capacity and
 * load; the first sites go to the first lanes, and a lane that is done takes the head of the queue. S is kept
 * by the ledger, so nothing is kept here.
 */
import type { WaitingCell } from '../../../ledger/index.js'
import type { AgentView, Assigned, Assignment } from '../index.js'
import { FreeLanes } from './free-lanes.js'
import { GrantRound } from './grant-round.js'

export class DynamicAssignment implements Assignment {
  readonly name = 'dynamic'
  readonly looksAt = 'head'
  readonly plan = null
  readonly owners = null

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

  laneOf(): number {
    return 0
  }
}
