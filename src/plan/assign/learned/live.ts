import type { AssignmentName } from '../../../config/index.js'
import type { Incarnation, WaitingCell } from '../../../ledger/index.js'
import type { CellId } from '../../../model/index.js'
import type { AgentView, Assigned, Assignment, LanePlan, PartPlan, RoutePlan } from '../index.js'

/** An assignment that can be replaced while the crawl runs; it delegates to the current one. */
export class LiveAssignment implements Assignment {
  #current: Assignment

  constructor(first: Assignment) {
    this.#current = first
  }

  replace(next: Assignment): void {
    this.#current = next
  }

  get name(): AssignmentName {
    return this.#current.name
  }

  get looksAt(): Assignment['looksAt'] {
    return this.#current.looksAt
  }

  get plan(): LanePlan | null {
    return this.#current.plan ?? null
  }

  get owners(): PartPlan | null {
    return this.#current.owners ?? null
  }

  get routes(): RoutePlan | null {
    return this.#current.routes ?? null
  }

  assign(waiting: readonly WaitingCell[], agents: readonly AgentView[]): Assigned {
    return this.#current.assign(waiting, agents)
  }

  intendedOwner(cell: CellId): Incarnation | null {
    return this.#current.intendedOwner?.(cell) ?? null
  }

  laneOf(cell: CellId): number {
    return this.#current.laneOf?.(cell) ?? 0
  }
}
