/**
 * Algorithm 3.1 of the dynamic partition paper (D14, D15): S is ordered by size, P by capacity; the first sites go to
 * the first lanes, and a lane that is done takes the head of S. S is kept by the ledger, so nothing is kept here.
 */
import type { Incarnation, WaitingCell } from '../cluster/index.js'
import type { AgentView, Assigned, Assignment } from './assignment.js'
import { HandOut } from './hand-out.js'

export class DynamicAssignment implements Assignment {
  readonly name = 'dynamic'
  readonly looksAt = 'head'
  readonly plan = null

  assign(waiting: readonly WaitingCell[], agents: readonly AgentView[]): Assigned {
    const round = new HandOut(agents)
    const lanes = lanesByCapacity(agents)
    let first = 0
    for (const row of waiting) {
      if (round.isOver) break
      const holder = round.holderOf(row)
      // A lane at the front of P may have gone to a cell that only its agent could have.
      while (first < lanes.length && !round.hasLane(lanes[first])) first++
      if (round.give(row, holder ?? lanes[first]) && holder === null) first++
    }
    return round
  }

  laneOf(): number {
    return 0
  }
}

/** P: free lanes, those of the agent with most to spare first. What an agent has is shared by its free lanes. */
function lanesByCapacity(agents: readonly AgentView[]): Incarnation[] {
  return agents
    .flatMap(({ incarnation, name, capacity, freeLanes }) =>
      Array.from({ length: Math.max(0, freeLanes) }, (_, taken) => ({
        incarnation,
        name,
        // The first lane of an agent can have all of it, the second half, and so on: equal agents take turns.
        capacity: capacity / (taken + 1),
      })),
    )
    .sort((a, b) => b.capacity - a.capacity || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
    .map(({ incarnation }) => incarnation)
}
