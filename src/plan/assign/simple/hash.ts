import type { Incarnation, WaitingCell } from '../../../ledger/index.js'
import { fingerprint, takeFingerprint } from '../../../model/bytes/index.js'
import type { CellId } from '../../../model/index.js'
import type { AgentView, Assigned, Assignment, RoutingMember } from '../index.js'
import { GrantRound } from './grant-round.js'

/** A measured capacity replaces the weight of an agent only if it has changed by this factor. */
const LEAST_CHANGE = 2

interface Contender extends RoutingMember {
  readonly low: number
  readonly high: number
}

/**
 * Rendezvous hashing: each agent draws a number for a cell, weighted by its capacity, and the best number
 * wins. An agent that joins takes its share from all others, an agent that leaves gives its cells to all
 * others, and no other cell moves.
 */
export class Rendezvous {
  readonly #weights = new Map<string, number>()
  #contenders: readonly Contender[] = []

  /** Sets the agents that take part in the draw. */
  meet(agents: readonly AgentView[]): void {
    this.drawAmong(
      agents.map(view => ({ name: view.name, incarnation: view.incarnation, weight: this.#weightOf(view) })),
    )
  }

  /** Sets the agents with weights that the coordinator has computed. */
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
    takeFingerprint(cell)
    const { low, high } = fingerprint
    let best: Contender | null = null
    let least = Number.POSITIVE_INFINITY
    // An exponential waiting time with the weight as its rate: the shortest time wins.
    for (const contender of this.#contenders) {
      const time = -Math.log(draw(low ^ contender.low, high ^ contender.high)) / contender.weight
      if (time < least || (time === least && best !== null && contender.name < best.name)) {
        least = time
        best = contender
      }
    }
    return best
  }

  #weightOf({ name, capacity }: AgentView): number {
    const known = this.#weights.get(name)
    const now = Math.max(capacity, Number.MIN_VALUE)
    if (known !== undefined && now < known * LEAST_CHANGE && now > known / LEAST_CHANGE) return known
    this.#weights.set(name, now)
    return now
  }
}

/** Each cell belongs to the agent that wins the draw for it. */
export class HashAssignment implements Assignment {
  readonly name = 'hash'
  readonly looksAt = 'all'
  readonly #draw = new Rendezvous()

  assign(waiting: readonly WaitingCell[], agents: readonly AgentView[]): Assigned {
    this.#draw.meet(agents)
    const round = new GrantRound(agents)
    round.giveToOwners(waiting, cell => this.intendedOwner(cell))
    return round
  }

  intendedOwner(cell: CellId): Incarnation | null {
    return this.#draw.winnerOf(cell)?.incarnation ?? null
  }
}

/** A number in (0, 1), the same for the same pair. */
function draw(low: number, high: number): number {
  let h = Math.imul(low ^ (low >>> 16), 0x7feb352d)
  h = Math.imul((h ^ (h >>> 15)) + high, 0x846ca68b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return ((h ^ (h >>> 16)) >>> 0) / 4_294_967_296 + 2 ** -33
}
