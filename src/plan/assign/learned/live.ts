/**
 * An assignment that can be replaced by another while the crawl runs: whoever asks always asks the one of
 * now.
 */

import type { AssignmentName } from '../../../config/index.js'
import type { Incarnation, WaitingCell } from '../../../ledger/index.js'
import type { CellId } from '../../../model/index.js'
import type { AgentView, Assigned, Assignment, LanePlan, PartPlan, RoutePlan } from '../index.js'

export class LiveAssignment implements Assignment {
  #now: Assignment

  constructor(first: Assignment) {
    this.#now = first
  }

  replace(next: Assignment): void {
    this.#now = next
  }

  get name(): AssignmentName {
    return this.#now.name
  }

  get looksAt(): Assignment['looksAt'] {
    return this.#now.looksAt
  }

  get plan(): LanePlan | null {
    return this.#now.plan
  }

  get owners(): PartPlan | null {
    return this.#now.owners
  }

  get routes(): RoutePlan | null {
    return this.#now.routes ?? null
  }

  assign(waiting: readonly WaitingCell[], agents: readonly AgentView[]): Assigned {
    return this.#now.assign(waiting, agents)
  }

  intendedOwner(cell: CellId): Incarnation | null {
    return this.#now.intendedOwner?.(cell) ?? null
  }

  laneOf(cell: CellId): number {
    return this.#now.laneOf(cell)
  }
}
