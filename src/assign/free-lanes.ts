/**
 * P: free lanes, those of the agent with most to spare first. What an agent has is shared by its free lanes: its first can
 * have all of it, the second half, and so on, so equal agents take turns. Found one by one, because a thousand agents
 * have many more of them than there mostly is to give.
 */
import type { Incarnation } from '../cluster/index.js'
import { Heap } from '../model/heap.js'
import type { AgentView } from './assignment.js'

interface Offer {
  readonly view: AgentView
  taken: number
  capacity: number
}

export class FreeLanes {
  readonly #offers: Heap<Offer>

  constructor(agents: readonly AgentView[]) {
    const free = agents.filter(({ freeLanes }) => freeLanes > 0)
    this.#offers = new Heap(
      isBefore,
      free.map(view => ({ view, taken: 0, capacity: view.capacity })),
    )
  }

  /** Whose lane is the first; null when there is none. */
  get first(): Incarnation | null {
    return this.#offers.first?.view.incarnation ?? null
  }

  /** The first is taken, or of no use. */
  shift(): void {
    const offer = this.#offers.first
    if (offer === undefined) return
    offer.taken++
    offer.capacity = offer.view.capacity / (offer.taken + 1)
    if (offer.taken === offer.view.freeLanes) this.#offers.shift()
    else this.#offers.firstChanged()
  }
}

function isBefore(a: Offer, b: Offer): boolean {
  if (a.capacity !== b.capacity) return a.capacity > b.capacity
  return a.view.name < b.view.name || (a.view.name === b.view.name && a.view.incarnation < b.view.incarnation)
}
