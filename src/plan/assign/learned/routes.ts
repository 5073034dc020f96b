/**
 * S2, S3: what one agent routes by between two stages. It has the table, and from the settings of the ledger
 * who owns which part and among whom is drawn for sites that nothing is known of, as the coordinator last
 * said it: so both come to the same answer. What it cannot tell is the coordinator's to give.
 */

import type { AssignmentName } from '../../../config/index.js'
import type { Incarnation } from '../../../ledger/index.js'
import { type CellId, siteOfCell } from '../../../model/index.js'
import type { RoutingMember } from '../index.js'
import { Rendezvous } from '../simple/index.js'
import type { RoutingTable } from './routing-table.js'

/** Setting: names of the agents of the parts of a routing table. */
export const PART_OWNERS = 'routing.owners'
/** Setting: the agents that are here, as `RoutingMember[]`. */
export const ROUTING_MEMBERS = 'routing.crew'
/**
 * Setting: the number of the table that is in force. It rises with every repartition; without a table there
 * is none.
 */
export const ROUTING_STAGE = 'routing.stage'

/** Whether agents can tell whose a cell is: not of a piece of a split site that the table does not know. */
export function isRouted(cell: CellId, table: RoutingTable): boolean {
  return isSite(cell) || table.partOf(cell) >= 0
}

function isSite(cell: CellId): boolean {
  return siteOfCell(cell) === cell
}

export function stageIn(settings: Readonly<Record<string, string>>): number {
  return Number(settings[ROUTING_STAGE] ?? 0)
}

export class Routes {
  readonly #assignment: AssignmentName
  readonly #own: { readonly name: string; readonly incarnation: Incarnation }
  readonly #draw = new Rendezvous()
  #owners: readonly string[] = []
  #incarnations: ReadonlyMap<string, Incarnation> = new Map()
  /** As they were last read: most beats bring the same. */
  #read = { owners: '', members: '' }

  constructor(assignment: AssignmentName, own: { readonly name: string; readonly incarnation: Incarnation }) {
    this.#assignment = assignment
    this.#own = own
  }

  /** Agents that are known. */
  get members(): number {
    return this.#incarnations.size
  }

  /** With every heartbeat. */
  apply(settings: Readonly<Record<string, string>>): void {
    const { [PART_OWNERS]: owners = '[]', [ROUTING_MEMBERS]: members = '[]' } = settings
    if (owners !== this.#read.owners) this.#owners = JSON.parse(owners) as string[]
    if (members !== this.#read.members) this.#meet(JSON.parse(members) as RoutingMember[])
    this.#read = { owners, members }
  }

  /** Whose a cell is; null where the coordinator has to say. */
  ownerOf(cell: CellId, table: RoutingTable): Incarnation | null {
    const part = table.partOf(cell)
    if (part >= 0) return this.#incarnationOf(this.#owners[part] ?? '')
    // A site that nothing is known of goes to whoever has a lane, and only the coordinator sees them all.
    return this.#assignment === 'hybrid' || !isSite(cell)
      ? null
      : (this.#draw.winnerOf(cell)?.incarnation ?? null)
  }

  #incarnationOf(name: string): Incarnation | null {
    return name === this.#own.name ? this.#own.incarnation : (this.#incarnations.get(name) ?? null)
  }

  /** Of ourselves we know better which life we are in. */
  #meet(members: readonly RoutingMember[]): void {
    const here = members.map(member =>
      member.name === this.#own.name ? { ...member, incarnation: this.#own.incarnation } : member,
    )
    this.#incarnations = new Map(here.map(({ name, incarnation }) => [name, incarnation]))
    this.#draw.drawAmong(here)
  }
}
