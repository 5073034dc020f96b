/**
 * P: free lanes, those of the agent with most to spare first. What an agent has is shared by its free lanes: its first can
 * have all of it, the second half, and so on, so equal agents take turns. Found one by one, because a thousand agents
 * have many more of them than there mostly is to give.
 */
import type { Incarnation } from '../cluster/index.js'
import type { AgentView } from './assignment.js'

interface Offer {
  readonly view: AgentView
  taken: number
  capacity: number
}

export class FreeLanes {
  /** A heap, the best first. */
  readonly #offers: Offer[]

  constructor(agents: readonly AgentView[]) {
    this.#offers = agents
      .filter(({ freeLanes }) => freeLanes > 0)
      .map(view => ({ view, taken: 0, capacity: view.capacity }))
    for (let at = (this.#offers.length >> 1) - 1; at >= 0; at--) this.#sink(at)
  }

  /** Whose lane is the first; null when there is none. */
  get first(): Incarnation | null {
    return this.#offers.length === 0 ? null : this.#offers[0].view.incarnation
  }

  /** The first is taken, or of no use. */
  shift(): void {
    const offer = this.#offers[0]
    offer.taken++
    offer.capacity = offer.view.capacity / (offer.taken + 1)
    if (offer.taken === offer.view.freeLanes) {
      const last = this.#offers.pop()!
      if (this.#offers.length === 0) return
      this.#offers[0] = last
    }
    this.#sink(0)
  }

  #sink(from: number): void {
    const offers = this.#offers
    const offer = offers[from]
    let at = from
    for (;;) {
      let child = 2 * at + 1
      if (child >= offers.length) break
      if (child + 1 < offers.length && isBefore(offers[child + 1], offers[child])) child++
      if (!isBefore(offers[child], offer)) break
      offers[at] = offers[child]
      at = child
    }
    offers[at] = offer
  }
}

function isBefore(a: Offer, b: Offer): boolean {
  if (a.capacity !== b.capacity) return a.capacity > b.capacity
  return a.view.name < b.view.name || (a.view.name === b.view.name && a.view.incarnation < b.view.incarnation)
}
