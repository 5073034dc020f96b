/**
 * Every cell has one agent, found by hash: the agent that draws the best number for it (rendezvous hashing),
 * the draws weighted by capacity. An agent that joins takes its share from all others and nothing moves
 * between them; one that leaves gives its cells to all others.
 */
import type { Incarnation, WaitingCell } from '../../../ledger/index.js'
import { fingerprint, takeFingerprint } from '../../../model/bytes/index.js'
import type { CellId } from '../../../model/index.js'
import type { AgentView, Assigned, Assignment, RoutingMember } from '../index.js'
import { GrantRound } from './grant-round.js'

/** Capacity is measured all the time; cells change their agent only when it has changed by this factor. */
const NOTED_CHANGE = 2

interface Contender extends RoutingMember {
  readonly low: number
  readonly high: number
}

/** The draw itself: also where a learned assignment knows nothing of a site. */
export class Rendezvous {
  readonly #weights = new Map<string, number>()
  #contenders: readonly Contender[] = []

  /** Those among whom is drawn from now on. */
  meet(agents: readonly AgentView[]): void {
    this.drawAmong(
      agents.map(view => ({
        name: view.name,
        incarnation: view.incarnation,
        weight: this.#weightOf(view),
      })),
    )
  }

  /** The same, as another has weighed them. */
  drawAmong(members: readonly RoutingMember[]): void {
    this.#contenders = members.map(({ name, incarnation, weight }) => {
      takeFingerprint(name)
      const { low, high } = fingerprint
      return { name, incarnation, weight, low, high }
    })
  }

  get members(): readonly RoutingMember[] {
    return this.#contenders.map(({ name, incarnation, weight }) => ({ name, incarnation, weight }))
  }

  winnerOf(cell: CellId): RoutingMember | null {
    return winnerOf(cell, this.#contenders)
  }

  #weightOf({ name, capacity }: AgentView): number {
    const known = this.#weights.get(name)
    const now = Math.max(capacity, Number.MIN_VALUE)
    if (known !== undefined && now < known * NOTED_CHANGE && now > known / NOTED_CHANGE) return known
    this.#weights.set(name, now)
    return now
  }
}

export class HashAssignment implements Assignment {
  readonly name = 'hash'
  readonly looksAt = 'all'
  readonly plan = null
  readonly owners = null
  readonly #draw = new Rendezvous()

  assign(waiting: readonly WaitingCell[], agents: readonly AgentView[]): Assigned {
    this.#draw.meet(agents)
    const round = new GrantRound(agents)
    for (const row of waiting)
      if (row.turnOf !== null) round.want(row, this.#draw.winnerOf(row.cell)?.incarnation ?? null)
    for (const row of waiting) {
      if (round.isOver) break
      const owner = this.#draw.winnerOf(row.cell)
      if (owner !== null) round.give(row, owner.incarnation)
    }
    return round
  }

  intendedOwner(cell: CellId): Incarnation | null {
    return this.#draw.winnerOf(cell)?.incarnation ?? null
  }

  laneOf(): number {
    return 0
  }
}

/** The one whose waiting time, drawn at a rate of its weight, is over first. */
function winnerOf(cell: CellId, contenders: readonly Contender[]): RoutingMember | null {
  takeFingerprint(cell)
  const { low, high } = fingerprint
  let best: Contender | null = null
  let least = Number.POSITIVE_INFINITY
  for (const contender of contenders) {
    const time = -Math.log(draw(low ^ contender.low, high ^ contender.high)) / contender.weight
    if (time < least || (time === least && best !== null && contender.name < best.name)) {
      least = time
      best = contender
    }
  }
  return best
}

/** A number in (0, 1), the same for the same pair. */
function draw(low: number, high: number): number {
  let h = Math.imul(low ^ (low >>> 16), 0x7feb352d)
  h = Math.imul((h ^ (h >>> 15)) + high, 0x846ca68b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return ((h ^ (h >>> 16)) >>> 0) / 4_294_967_296 + 2 ** -33
}
