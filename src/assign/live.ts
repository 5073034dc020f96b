/** An assignment that can be replaced by another while the crawl runs: whoever asks always asks the one of now. */
import type { Incarnation, WaitingCell } from '../cluster/index.js'
import type { CellId } from '../model/cell.js'
import type {
  AgentView,
  Assigned,
  Assignment,
  AssignmentName,
  LanePlan,
  PartPlan,
  RoutePlan,
} from './assignment.js'

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

  meantFor(cell: CellId): Incarnation | null {
    return this.#now.meantFor?.(cell) ?? null
  }

  laneOf(cell: CellId): number {
    return this.#now.laneOf(cell)
  }
}
