import { describe, expect, it } from 'vitest'
import type { AgentRow } from '../../ledger/index.js'
import type { Lease } from '../../model/index.js'
import { AgentRegistry } from './agent-registry.js'

function row(status: object, unseen: number): AgentRow {
  return {
    name: 'a',
    incarnation: 1,
    open: true,
    heartbeatAt: 0,
    status: JSON.stringify(status),
    lanes: 4,
    unseen,
  }
}

const lease = (grant: number, lane = 0) => ({ grant, lane }) as Lease

describe("the coordinator's book of lanes", () => {
  /**
   * Found by the simulator: an agent that froze before it saw its leases kept the crawl from ending for ever.
   */
  it('forgets grants that an agent never saw once the ledger no longer counts them', () => {
    const book = new AgentRegistry()
    book.look([row({ at: 1, seen: 0, free: 4 }, 0)])
    book.granted(1, [lease(1), lease(2)])
    expect(book.isIdle).toBe(false)
    expect(book.views()[0].freeLanes).toBe(2)
    book.look([row({ at: 1, seen: 0, free: 4 }, 2)])
    expect(book.isIdle).toBe(false)
    book.look([row({ at: 2, seen: 0, free: 4 }, 0)])
    expect(book.isIdle).toBe(true)
    expect(book.views()[0].freeLanes).toBe(4)
  })

  it('counts a lane as busy from the grant on, before its agent has said so', () => {
    const book = new AgentRegistry()
    book.look([row({ at: 1, seen: 4, free: 2, held: 1, busyLanes: [1] }, 0)])
    book.granted(1, [lease(5, 3)])
    expect(book.views()).toMatchObject([{ freeLanes: 1, busyLanes: [1, 3] }])
    book.look([row({ at: 2, seen: 4, free: 2, held: 1, busyLanes: [1] }, 1)])
    expect(book.views()).toMatchObject([{ freeLanes: 1, busyLanes: [1, 3] }])
    book.receive(1, { at: 3, seen: 5, free: 3, held: 0, busyLanes: [], capacity: 1 })
    expect(book.views()).toMatchObject([{ freeLanes: 3, busyLanes: [] }])
  })

  it('counts sites as work to do from the grant on, before a heartbeat has told of them', () => {
    const book = new AgentRegistry()
    book.look([row({ at: 1, seen: 0, free: 4, held: 2, busySites: 1, spareGroups: 1 }, 0)])
    expect(book.loads()).toMatchObject([{ busySites: 1, spareGroups: 1, freeLanes: 4 }])
    book.granted(1, [lease(1), lease(2)])
    expect(book.loads()).toMatchObject([{ busySites: 3, freeLanes: 2 }])
    book.receive(1, { at: 2, seen: 2, free: 2, held: 4, busyLanes: [], capacity: 1 })
    expect(book.loads()).toMatchObject([{ busySites: 3, freeLanes: 2 }])
    book.look([row({ at: 3, seen: 2, free: 2, held: 4, busySites: 4, spareGroups: 3 }, 0)])
    expect(book.loads()).toMatchObject([{ busySites: 4, spareGroups: 3 }])
  })

  it('counts sites in hand from the grant on, so that the next ones go to others', () => {
    const book = new AgentRegistry()
    book.look([row({ at: 1, seen: 0, free: 4, held: 2 }, 0)])
    book.granted(1, [lease(1), lease(2)])
    expect(book.views()).toMatchObject([{ held: 4 }])
    book.look([row({ at: 2, seen: 0, free: 4, held: 2 }, 3)])
    expect(book.views()).toMatchObject([{ held: 5 }])
  })

  it('goes by heartbeats for what is left to do: a word on the bus is no second heartbeat, and takes no work away', () => {
    const book = new AgentRegistry()
    book.look([row({ at: 1, seen: 0, free: 1, held: 3, busySites: 3, spareGroups: 1 }, 0)])
    book.receive(1, { at: 2, seen: 0, free: 4, held: 0, busyLanes: [], capacity: 1 })
    expect(book.loads()).toMatchObject([{ heartbeat: 1, busySites: 3, freeLanes: 4 }])
    book.look([row({ at: 3, seen: 0, free: 4, held: 0, busySites: 0, spareGroups: 0 }, 0)])
    expect(book.loads()).toMatchObject([{ heartbeat: 3, busySites: 0 }])
  })
})
