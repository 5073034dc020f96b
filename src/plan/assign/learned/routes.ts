import type { AssignmentName } from '../../../config/index.js'
import type { Incarnation } from '../../../ledger/index.js'
import { type CellId, siteOfCell } from '../../../model/index.js'
import type { RoutingMember } from '../index.js'
import { Rendezvous } from '../simple/index.js'
import type { RoutingTable } from './routing-table.js'

/** Setting: the names of the owners of the routing table's parts. */
export const PART_OWNERS = 'routing.owners'
/** Setting: the present agents, as `RoutingMember[]`. */
export const ROUTING_MEMBERS = 'routing.crew'
/** Setting: the number of the table in force, which rises with each repartition; absent without a table. */
export const ROUTING_STAGE = 'routing.stage'

/** Whether agents can tell the owner of a cell. They cannot for pieces that the table does not know. */
export function isRouted(cell: CellId, table: RoutingTable): boolean {
  return isSite(cell) || table.partOf(cell) >= 0
}

function isSite(cell: CellId): boolean {
  return siteOfCell(cell) === cell
}

export function stageIn(settings: Readonly<Record<string, string>>): number {
  return Number(settings[ROUTING_STAGE] ?? 0)
}

/**
 * The routing of one agent between two stages (S2). It has the table; the owners of the parts and the members
 * of the draw come from the settings of the ledger, as the coordinator wrote them, so both get the same
 * answer. The coordinator grants the cells that an agent cannot route.
 */
export class Routes {
  readonly #assignment: AssignmentName
  readonly #own: { readonly name: string; readonly incarnation: Incarnation }
  readonly #draw = new Rendezvous()
  #owners: readonly string[] = []
  #incarnations: ReadonlyMap<string, Incarnation> = new Map()
  /** The settings as last read: most heartbeats bring the same. */
  #read = { owners: '', members: '' }

  constructor(assignment: AssignmentName, own: { readonly name: string; readonly incarnation: Incarnation }) {
    this.#assignment = assignment
    this.#own = own
  }

  /** The number of known agents. */
  get members(): number {
    return this.#incarnations.size
  }

  /** Reads the settings; called with each heartbeat. */
  apply(settings: Readonly<Record<string, string>>): void {
    const { [PART_OWNERS]: owners = '[]', [ROUTING_MEMBERS]: members = '[]' } = settings
    if (owners !== this.#read.owners) this.#owners = JSON.parse(owners) as string[]
    if (members !== this.#read.members) this.#meet(JSON.parse(members) as RoutingMember[])
    this.#read = { owners, members }
  }

  /** The owner of a cell; null if the coordinator has to grant it. */
  ownerOf(cell: CellId, table: RoutingTable): Incarnation | null {
    const part = table.partOf(cell)
    if (part >= 0) return this.#incarnationOf(this.#owners[part] ?? '')
    // With `hybrid` an unknown site goes to an agent with a free lane, and only the coordinator knows all
    // lanes.
    return this.#assignment === 'hybrid' || !isSite(cell)
      ? null
      : (this.#draw.winnerOf(cell)?.incarnation ?? null)
  }

  #incarnationOf(name: string): Incarnation | null {
    return name === this.#own.name ? this.#own.incarnation : (this.#incarnations.get(name) ?? null)
  }

  /** The list may have an older incarnation of this agent. */
  #meet(members: readonly RoutingMember[]): void {
    const here = members.map(member =>
      member.name === this.#own.name ? { ...member, incarnation: this.#own.incarnation } : member,
    )
    this.#incarnations = new Map(here.map(({ name, incarnation }) => [name, incarnation]))
    this.#draw.drawAmong(here)
  }
}
