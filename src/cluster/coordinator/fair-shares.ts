/**
 * How many of the last waiting cells each agent gets. While there are enough, a free lane takes the next one.
 * When fewer wait than the agents could take, the first to have free lanes would take all of them, and the
 * others would run dry: the agents of one machine have free lanes in turns, hundreds at a time. So an agent
 * gets no more than would make the load per lane of all agents equal; the other cells are held back for
 * agents with less to do, which have no free lane at the moment.
 */
import type { Incarnation } from '../../ledger/index.js'
import type { Clock, Millis } from '../../model/index.js'
import { FAIR_SHARES_DRY_MS, FAIR_SHARES_HOLD_MS } from '../limits.js'
import type { AgentLoad } from './agent-registry.js'

type Load = Pick<AgentLoad, 'incarnation' | 'lanes' | 'freeLanes' | 'busySites' | 'workLeft' | 'hasReported'>

export class FairShares {
  readonly #clock: Clock
  /** Cells that waited when they were last counted, without those granted since. */
  #left = Number.POSITIVE_INFINITY
  /** Since when cells are held back without any grant. */
  #heldSince: Millis | null = null
  /** The load of each agent when the queue became short, with the cells granted since. */
  readonly #loads = new Map<Incarnation, number>()
  /** Since when agents have had nothing to do. */
  readonly #drySince = new Map<Incarnation, Millis>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Takes a new count of the waiting cells; if it has reached `limit`, there are enough for all. */
  counted(waiting: number, limit: number): void {
    this.#left = waiting < limit ? waiting : Number.POSITIVE_INFINITY
    if (waiting === 0 || waiting >= limit) this.#loads.clear()
  }

  /** How many cells each agent was granted in a round in which cells waited and lanes were free. */
  granted(cells: ReadonlyMap<Incarnation, number>): void {
    let sum = 0
    for (const [agent, count] of cells) {
      sum += count
      const load = this.#loads.get(agent)
      if (load !== undefined) this.#loads.set(agent, load + count)
    }
    this.#left = Math.max(0, this.#left - sum)
    this.#heldSince = sum > 0 ? null : (this.#heldSince ?? this.#clock.monotonic())
  }

  /**
   * The most cells that each agent gets in this round. `read` cells were read from the queue, which are all
   * that wait unless `hasMore`. Without any grant for some time nothing is held back: an agent with less to
   * do may be too slow to take more.
   */
  quotas(agents: readonly Load[], read: number, hasMore: boolean): ReadonlyMap<Incarnation, number> {
    const heldMs = this.#heldSince === null ? 0 : this.#clock.monotonic() - this.#heldSince
    const waiting = hasMore ? Math.max(read, this.#left) : read
    if (heldMs >= FAIR_SHARES_HOLD_MS || waiting === Number.POSITIVE_INFINITY) return new Map()
    const shares = agents.map(agent => ({ ...agent, load: this.#loadOf(agent) }))
    const level = levelOf(shares.filter(takesPart), waiting)
    return new Map(
      shares.map(({ incarnation, lanes, load }) => [
        incarnation,
        Math.max(0, Math.ceil(level * lanes - load)),
      ]),
    )
  }

  /**
   * Progress does not count until an agent has been dry for some time: agents that share processors are ahead
   * by turns, and whoever is ahead while the last cells are granted would get most of them.
   */
  #loadOf({ incarnation, busySites, workLeft }: Load): number {
    const now = this.#clock.monotonic()
    if (busySites > 0) this.#drySince.delete(incarnation)
    else if (!this.#drySince.has(incarnation)) this.#drySince.set(incarnation, now)
    const dryMs = now - (this.#drySince.get(incarnation) ?? now)
    const known = dryMs < FAIR_SHARES_DRY_MS ? this.#loads.get(incarnation) : undefined
    const load = known ?? workLeft
    this.#loads.set(incarnation, load)
    return load
  }
}

/** An agent that stops, or has no page left to fetch, has neither sites nor free lanes. */
function takesPart({ freeLanes, busySites, hasReported }: Load): boolean {
  return freeLanes > 0 || busySites > 0 || !hasReported
}

/** The load per lane of the least loaded agents once they have got all waiting cells. */
function levelOf(agents: readonly { lanes: number; load: number }[], waiting: number): number {
  const byLoad = [...agents].sort((a, b) => a.load / a.lanes - b.load / b.lanes)
  let lanes = 0
  let sites = waiting
  for (const agent of byLoad) {
    if (lanes > 0 && sites / lanes <= agent.load / agent.lanes) break
    lanes += agent.lanes
    sites += agent.load
  }
  return sites / Math.max(1, lanes)
}
