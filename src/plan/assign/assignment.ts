import type { AssignmentName } from '../../config/index.js'
import type { Incarnation, LaneLoad, LaneName, WaitingCell } from '../../ledger/index.js'
import type { CellId, GroupId } from '../../model/index.js'

/** An agent as an assignment sees it. */
export interface AgentView {
  readonly name: string
  readonly incarnation: Incarnation
  /** Sites it crawls at the same time. */
  readonly lanes: number
  readonly freeLanes: number
  /** Sites it has in hand, or on their way to it: its present load. */
  readonly held: number
  /** Numbers, from 1, of the lanes that are at work. */
  readonly busyLanes: readonly number[]
  /** What it has left of CPU, memory, disk and bandwidth, of one kind for all agents (D13). */
  readonly capacity: number
  /**
   * The stage of the routing table by which it takes cells itself; none, or 0: it waits for what it is given.
   */
  readonly stage?: number
}

/** An agent as others draw it: name, life, and its weight where sites go by hash. */
export interface RoutingMember {
  readonly name: string
  readonly incarnation: Incarnation
  readonly weight: number
}

/** What one round of handing out comes to. */
export interface Assigned {
  readonly given: ReadonlyMap<Incarnation, readonly CellId[]>
  /** Turns that an agent holds and that lanes of others, free and meant for such a cell, wait for. */
  readonly wanted: ReadonlyMap<Incarnation, ReadonlySet<GroupId>>
}

/**
 * Of an assignment that binds cells to lanes ahead: what it has bound is in the ledger, not in its memory
 * alone.
 */
export interface LanePlan {
  /** What is bound already; told to whoever takes the coordinator's seat. */
  restore(loads: readonly LaneLoad[]): void
  /** What was bound since it was last asked, to be written down before it is leased. */
  takeNew(): readonly (LaneName & { readonly cell: CellId })[]
}

/** Of an assignment that routes by parts: who has which is in the ledger, not in its memory alone. */
export interface PartPlan {
  /** Names of the owners, part by part, as the coordinator before had them. */
  restore(names: readonly string[]): void
  /** The same, when it has changed since this was last asked: to be written down. */
  takeChanged(): readonly string[] | null
}

/**
 * Of an assignment by a table that agents have too (S2): they take the cells that are meant for them without
 * being given them.
 */
export interface RoutePlan {
  readonly stage: number
  /** The agents it was last shown: told to all of them, so that they draw as it does. */
  readonly members: readonly RoutingMember[]
  /** Whether agents can tell whose a cell is. */
  isRouted(cell: CellId): boolean
  /** Whether others may have what its own agent has no lane for. */
  readonly assignsRest: boolean
}

/** Port: the strategy that says which agent a waiting cell goes to. */
export interface Assignment {
  readonly name: AssignmentName
  /**
   * `head`: the first cells of S are enough. `all`: a cell far down may be the only one for a free lane.
   * `nothing`: agents take cells themselves.
   */
  readonly looksAt: 'head' | 'all' | 'nothing'
  /** Cells of `waiting` (which is in the order of the queue) for the free lanes of `agents`, best first. */
  assign(waiting: readonly WaitingCell[], agents: readonly AgentView[]): Assigned
  /** The agent that a cell is meant for, among those it was last shown; null where it is meant for nobody. */
  intendedOwner?(cell: CellId): Incarnation | null
  /** The lane of its agent that a cell is bound to; 0 where any will do. */
  laneOf(cell: CellId): number
  /** Null where nothing is planned ahead. */
  readonly plan: LanePlan | null
  /** Null where there are no parts. */
  readonly owners: PartPlan | null
  /** None where every cell is given out by the coordinator. */
  readonly routes?: RoutePlan | null
}
