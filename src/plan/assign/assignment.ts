import type { AssignmentName } from '../../config/index.js'
import type { Incarnation, LaneLoad, LaneName, WaitingCell } from '../../ledger/index.js'
import type { CellId, GroupId } from '../../model/index.js'

/** An agent as an assignment sees it. */
export interface AgentView {
  readonly name: string
  readonly incarnation: Incarnation
  /** The number of sites it crawls at the same time. */
  readonly lanes: number
  readonly freeLanes: number
  /** The most cells it gets in this round, besides those that only it can lease; absent: any number. */
  readonly quota?: number
  /** The number of sites that it holds or was granted: its load. */
  readonly held: number
  /** Numbers, from 1, of its busy lanes. */
  readonly busyLanes: readonly number[]
  /** What is free of CPU, memory, disk and bandwidth; comparable between agents. */
  readonly capacity: number
  /** The stage of the routing table by which it claims cells; 0 or absent if it only receives grants. */
  readonly stage?: number
}

/** An agent in the draw by hash, with its weight. */
export interface RoutingMember {
  readonly name: string
  readonly incarnation: Incarnation
  readonly weight: number
}

/** The result of one round of grants. */
export interface Assigned {
  readonly given: ReadonlyMap<Incarnation, readonly CellId[]>
  /**
   * By holder: turns that free lanes of other agents wait for, because they are meant for cells of that
   * group.
   */
  readonly wanted: ReadonlyMap<Incarnation, ReadonlySet<GroupId>>
}

/** A cell that an assignment binds to a lane ahead of its grant. */
export type BoundCell = LaneName & { readonly cell: CellId }

/** The bindings of an assignment that binds cells to lanes. They are stored in the ledger. */
export interface LanePlan {
  /** Takes over the bindings of the previous coordinator. */
  restore(loads: readonly LaneLoad[]): void
  /** Returns the bindings made since the last call; they are stored before the cells are leased. */
  takeNew(): readonly BoundCell[]
}

/** The owners of the parts of a routing table. They are stored in the ledger. */
export interface PartPlan {
  /** Takes over the names of the owners, part by part, from the previous coordinator. */
  restore(names: readonly string[]): void
  /** Returns the names if they have changed since the last call, else null. */
  takeChanged(): readonly string[] | null
}

/** The routing that agents do themselves: they claim the cells meant for them without a grant. */
export interface RoutePlan {
  readonly stage: number
  /**
   * The agents of the last round. All agents receive this list, so that they draw as the coordinator does.
   */
  readonly members: readonly RoutingMember[]
  /** Whether agents can tell the owner of a cell. */
  isRouted(cell: CellId): boolean
  /** Whether cells that their owner has no lane for may go to other agents. */
  readonly assignsRest: boolean
}

/** Port: the strategy that says which agent a waiting cell goes to. */
export interface Assignment {
  readonly name: AssignmentName
  /**
   * `head`: the first cells of the queue are enough. `all`: the only cell for a free lane may be far down.
   * `nothing`: agents claim all cells themselves.
   */
  readonly looksAt: 'head' | 'all' | 'nothing'
  /** Assigns cells of `waiting`, which is in queue order, to free lanes of `agents`. */
  assign(waiting: readonly WaitingCell[], agents: readonly AgentView[]): Assigned
  /** The agent that a cell is meant for, among the agents of the last round; null if there is none. */
  intendedOwner?(cell: CellId): Incarnation | null
  /** The lane that a cell is bound to; absent or 0 if any lane of its agent may take it. */
  laneOf?(cell: CellId): number
  /** Null or absent if cells are not bound ahead. */
  readonly plan?: LanePlan | null
  /** Null or absent if there are no parts. */
  readonly owners?: PartPlan | null
  /** Null or absent if the coordinator grants every cell. */
  readonly routes?: RoutePlan | null
}
