import { expect, it } from 'vitest'
import type { HeldCells } from '../cells/index.js'
import { LaneCount } from '../site/index.js'
import { LaneOffer } from './lane-offer.js'

/** An agent with 1,000 lanes whose machine has next to nothing free. */
function offerOf(heldCells: Partial<HeldCells>): LaneOffer {
  return new LaneOffer({
    bus: { send: () => {}, subscribe: () => () => {} },
    incarnation: 1,
    lanes: 1_000,
    laneCount: new LaneCount(1_000),
    capacity: () => ({ lanes: 250, capacity: 0.01, load: null }),
    routes: null,
    heldCells: { sites: new Map(), opening: 0, count: 0, ...heldCells } as HeldCells,
    isDone: () => false,
  })
}

it('an agent that never had a site offers all lanes, however busy its start makes the machine', () => {
  expect(offerOf({ seen: 0 }).status()).toMatchObject({ free: 1_000, capacity: 1 })
})

it('an agent that has had sites offers as many lanes as its machine has room for', () => {
  expect(offerOf({ seen: 7 }).status()).toMatchObject({ free: 250, capacity: 0.01 })
})
