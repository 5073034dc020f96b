/**
 * P: free lanes, those of the agent with the least load for its capacity first. Load is the sites an agent
 * has in hand, so sites spread over all agents however many lanes each of them has free. Lanes are found one
 * by one, because a thousand agents have many more of them than there are sites to give.
 */
import type { Incarnation } from '../../../ledger/index.js'
import { Heap } from '../../../model/index.js'
import type { AgentView } from '../index.js'

/**
 * An agent with this much of its machine to spare has enough for more sites. What is free beyond it says how
 * little the agent had to do in the last second, which its load tells better.
 */
const ENOUGH = 0.2
/**
 * An agent with nothing to spare is still worth this much of one with enough (as in
 * `runtime/machine/monitor.ts`).
 */
const LEAST_WEIGHT = 1 / 4

interface Offer {
  readonly view: AgentView
  readonly weight: number
  /** Sites in hand, those of this round included. */
  load: number
  taken: number
  /** The load for the weight with one more site, as it was when the heap was last put in order. */
  key: number
}

export class FreeLanes {
  readonly #offers: Heap<Offer>
  readonly #byAgent = new Map<Incarnation, Offer>()

  constructor(agents: readonly AgentView[]) {
    const offers = agents.filter(({ freeLanes }) => freeLanes > 0).map(offerOf)
    for (const offer of offers) this.#byAgent.set(offer.view.incarnation, offer)
    this.#offers = new Heap(isBefore, offers)
  }

  /** The agent whose lane is first; null when no lane is free. */
  get first(): Incarnation | null {
    for (let offer = this.#offers.first; offer !== undefined; offer = this.#offers.first) {
      if (offer.taken >= offer.view.freeLanes) {
        this.#offers.shift()
        continue
      }
      const key = keyOf(offer)
      if (key === offer.key) return offer.view.incarnation
      // Loads only grow, so the heap is put in order when an offer comes to its top.
      offer.key = key
      this.#offers.firstChanged()
    }
    return null
  }

  /** A lane of this agent has a site now. */
  take(agent: Incarnation): void {
    const offer = this.#byAgent.get(agent)
    if (offer === undefined) return
    offer.taken++
    offer.load++
  }
}

function offerOf(view: AgentView): Offer {
  const spare = Math.max(LEAST_WEIGHT, Math.min(1, view.capacity / ENOUGH))
  const offer = { view, weight: spare * Math.max(1, view.lanes), load: view.held, taken: 0, key: 0 }
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
