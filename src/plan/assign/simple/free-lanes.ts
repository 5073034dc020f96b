import type { Incarnation } from '../../../ledger/index.js'
import { Heap } from '../../../model/index.js'
import type { AgentView } from '../index.js'

/**
 * An agent with this much of its machine free has enough for more sites. A larger capacity only shows that
 * the agent had little to do in the last second, which its load shows better.
 */
const ENOUGH = 0.2
/** The weight of an agent without free capacity, against one with enough (`runtime/machine/monitor.ts`). */
const LEAST_WEIGHT = 1 / 4

interface Offer {
  readonly view: AgentView
  readonly weight: number
  /** How many sites the agent gets. */
  readonly most: number
  /** Sites that the agent holds, those of this round included. */
  load: number
  taken: number
  /** (load + 1) / weight when the offer was last put in its place in the heap. */
  key: number
}

/**
 * Free lanes; those of the agent with the least load for its capacity come first. The load is the number of
 * sites an agent holds, so sites spread over all agents, whatever the number of their free lanes. Lanes are
 * not listed one by one: a thousand agents have many more lanes than there are sites to grant.
 */
export class FreeLanes {
  readonly #offers: Heap<Offer>
  readonly #byAgent = new Map<Incarnation, Offer>()

  constructor(agents: readonly AgentView[]) {
    const offers = agents.filter(({ freeLanes }) => freeLanes > 0).map(offerOf)
    for (const offer of offers) this.#byAgent.set(offer.view.incarnation, offer)
    this.#offers = new Heap(isBefore, offers)
  }

  /** The agent with the first lane; null if no lane is free. */
  get first(): Incarnation | null {
    for (let offer = this.#offers.first; offer !== undefined; offer = this.#offers.first) {
      if (offer.taken >= offer.most) {
        this.#offers.shift()
        continue
      }
      const key = keyOf(offer)
      if (key === offer.key) return offer.view.incarnation
      // Loads only grow, so it is enough to reorder an offer when it reaches the top.
      offer.key = key
      this.#offers.firstChanged()
    }
    return null
  }

  /** A lane of this agent was given a site. */
  take(agent: Incarnation): void {
    const offer = this.#byAgent.get(agent)
    if (offer === undefined) return
    offer.taken++
    offer.load++
  }
}

function offerOf(view: AgentView): Offer {
  const spare = Math.max(LEAST_WEIGHT, Math.min(1, view.capacity / ENOUGH))
  const offer = {
    view,
    weight: spare * Math.max(1, view.lanes),
    most: Math.min(view.freeLanes, view.quota ?? view.freeLanes),
    load: view.held,
    taken: 0,
    key: 0,
  }
  offer.key = keyOf(offer)
  return offer
}

function keyOf({ load, weight }: Offer): number {
  return (load + 1) / weight
}

function isBefore(a: Offer, b: Offer): boolean {
  if (a.key !== b.key) return a.key < b.key
  if (a.view.capacity !== b.view.capacity) return a.view.capacity > b.view.capacity
  return a.view.name < b.view.name || (a.view.name === b.view.name && a.view.incarnation < b.view.incarnation)
}
