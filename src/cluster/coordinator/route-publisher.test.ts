import { describe, expect, it } from 'vitest'
import { ManualClock } from '../../../test/kit/manual-clock.js'
import { type BusMessage, LocalBus } from '../../bus/index.js'
import { chooseAssignment } from '../../compose/index.js'
import { openMemoryLedger } from '../../ledger/memory/index.js'
import { SeededRandom } from '../../model/index.js'
import { PART_OWNERS, ROUTING_MEMBERS, ROUTING_STAGE, RoutingTable } from '../../plan/assign/learned/index.js'
import { AgentRegistry } from './agent-registry.js'
import { newStage, RoutePublisher } from './route-publisher.js'

const table = RoutingTable.of(2, [
  { site: 'a.test', part: 0 },
  { site: 'b.test', part: 1 },
])

async function scene() {
  const clock = new ManualClock()
  const ledger = openMemoryLedger(() => clock.now())
  const bus = new LocalBus()
  const said: BusMessage[] = []
  bus.join().subscribe(message => said.push(message))
  const newPublisher = () => {
    const now = () => clock.monotonic()
    const assignment = chooseAssignment('hypergraph', new SeededRandom(1), { table, now, stage: 1 })
    return new RoutePublisher(clock, ledger, bus.join(), assignment)
  }
  const book = new AgentRegistry()
  const look = async (publisher: RoutePublisher) => {
    const rows = await ledger.agents()
    book.look(rows)
    await publisher.look(rows, book)
    await Promise.resolve()
  }
  const agent = async (name: string, word: object) => {
    const incarnation = await ledger.join(name, 2)
    await ledger.heartbeat(incarnation, 30_000, JSON.stringify({ at: 1, free: 2, ...word }))
    return incarnation
  }
  return { clock, ledger, said, newPublisher, book, look, agent }
}

describe('what agents that route on their own are told', () => {
  it('is who is here and who has which part, at once when that changes, and with the next beat when only capacity does', async () => {
    const { ledger, said, newPublisher, look, agent } = await scene()
    const publisher = newPublisher()
    const a = await agent('a', { capacity: 1 })
    await look(publisher)
    expect(await ledger.settings()).toMatchObject({
      [PART_OWNERS]: '["a",""]',
      [ROUTING_MEMBERS]: JSON.stringify([{ name: 'a', incarnation: a, weight: 1 }]),
    })
    expect(said).toEqual([{ kind: 'routes' }])
    await look(publisher)
    await ledger.heartbeat(a, 30_000, JSON.stringify({ at: 2, free: 2, capacity: 8 }))
    await look(publisher)
    expect((await ledger.settings())[ROUTING_MEMBERS]).toContain('"weight":8')
    expect(said).toHaveLength(1)
    await agent('b', {})
    await look(publisher)
    expect((await ledger.settings())[PART_OWNERS]).toBe('["a","b"]')
    expect(said).toHaveLength(2)
  })

  it('goes on with the next coordinator: owners keep their parts, and agents are told once that it is another', async () => {
    const { ledger, said, newPublisher, look, agent } = await scene()
    await ledger.set({ [PART_OWNERS]: '["b","a"]' })
    await agent('a', {})
    const publisher = newPublisher()
    await publisher.restore()
    await look(publisher)
    expect((await ledger.settings())[PART_OWNERS]).toBe('["b","a"]')
    const before = said.length
    const next = newPublisher()
    await next.restore()
    await look(next)
    await look(next)
    expect(said).toHaveLength(before + 1)
  })
})

describe('a stage', () => {
  it('begins with every table and every coordinator that has one, and never where there is none', async () => {
    const { ledger } = await scene()
    expect(await newStage(ledger)).toBe(0)
    expect(await newStage(ledger, { [PART_OWNERS]: '[]' })).toBe(1)
    expect(await newStage(ledger)).toBe(2)
    expect(await ledger.settings()).toMatchObject({ [ROUTING_STAGE]: '2', [PART_OWNERS]: '[]' })
  })
})
