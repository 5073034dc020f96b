import { beforeEach, describe, expect, it } from 'vitest'
import { ManualClock } from '../../../../test/kit/manual-clock.js'
import { type BusMessage, LocalBus } from '../../../bus/index.js'
import type { Incarnation, Ledger } from '../../../ledger/index.js'
import { openMemoryLedger } from '../../../ledger/memory/index.js'
import {
  PART_OWNERS,
  ROUTING_MEMBERS,
  ROUTING_STAGE,
  RoutingTable,
} from '../../../plan/assign/learned/index.js'
import { RouteClaimer } from './route-claimer.js'

const LEASE = 30_000
const NEVER = () => false

describe('an agent that takes its own cells by the routing table', () => {
  let clock: ManualClock
  let ledger: Ledger
  let bus: LocalBus
  let table: RoutingTable | null
  let said: BusMessage[]

  beforeEach(() => {
    clock = new ManualClock()
    ledger = openMemoryLedger(() => clock.now())
    bus = new LocalBus()
    table = routing(['a1', 'a2', 'a3'], ['b1', 'b2'])
    said = []
    bus.join().subscribe(message => said.push(message))
  })

  function routing(...parts: readonly string[][]): RoutingTable {
    return RoutingTable.of(
      parts.length,
      parts.flatMap((sites, part) => sites.map(site => ({ site, part }))),
    )
  }

  async function waits(...cells: string[]): Promise<void> {
    const rows = [{ url: 'http://x/', depth: 0, hops: 0, score: 0, via: '' }]
    for (const cell of cells) await ledger.append([{ cell, group: cell.slice(0, 2), rows }])
  }

  async function members(...names: string[]) {
    const incarnations = await Promise.all(names.map(name => ledger.join(name, 10)))
    const members = names.map((name, i) => ({ name, incarnation: incarnations[i], weight: 1 }))
    await ledger.set({
      [PART_OWNERS]: JSON.stringify(names),
      [ROUTING_MEMBERS]: JSON.stringify(members),
      [ROUTING_STAGE]: '1',
    })
    return Promise.all(names.map((name, i) => agent(name, incarnations[i])))
  }

  async function agent(name: string, incarnation: Incarnation) {
    const claimer = new RouteClaimer({
      clock,
      ledger,
      bus: bus.join(),
      name,
      incarnation,
      assignment: 'hypergraph',
      leaseMs: LEASE,
      leastDelayMs: () => 0,
      load: async () => table,
    })
    const beat = async () => {
      claimer.apply(await ledger.heartbeat(incarnation, LEASE, '{}'), () => {})
      await settled()
    }
    await beat()
    const cells = async () => (await ledger.leases(incarnation, 0)).map(({ cell }) => cell)
    return { claimer, beat, incarnation, cells }
  }

  const settled = async () => {
    for (let i = 0; i < 20; i++) await Promise.resolve()
  }

  it('has those of its part that wait, in the order of the queue and as many as it has lanes, and the next when it has one more', async () => {
    await waits('b1', 'a3', 'a1', 'b2', 'a2')
    const [a, b] = await members('a', 'b')
    await a.claimer.claim(2, NEVER)
    expect(await a.cells()).toEqual(['a1', 'a3'])
    await a.claimer.claim(1, NEVER)
    expect((await a.cells()).sort()).toEqual(['a1', 'a2', 'a3'])
    await b.claimer.claim(9, NEVER)
    expect(await b.cells()).toEqual(['b1', 'b2'])
    expect([a.claimer.taken, b.claimer.taken]).toEqual([3, 2])
  })

  it('tells the owner of a cell that gained rows, whoever it is, and nobody else', async () => {
    const [a, b] = await members('a', 'b')
    const fresh = Array.from({ length: 80 }, (_, i) => `n${i}.test`)
    expect(a.claimer.notifyOwners(['b2', 'a1', 'b1', 'x.test#a#b', ...fresh])).toEqual(['x.test#a#b'])
    await settled()
    expect(said.length).toBeGreaterThan(1)
    const told = said.flatMap(message => {
      expect(message).toMatchObject({ kind: 'yours', to: b.incarnation })
      return message.kind === 'yours' ? message.cells : []
    })
    expect(told.slice(0, 2)).toEqual(['b2', 'b1'])
    expect(told.length).toBeGreaterThan(2)
    // The others are by the same hash its own: it looks for them at once.
    const own = fresh.filter(site => !told.includes(site))
    await waits(...own)
    await a.claimer.claim(80, NEVER)
    expect((await a.cells()).sort()).toEqual(own.sort())
    expect(own.length).toBeGreaterThan(0)
  })

  it('finds a cell it was told of also where it stands too far down in S to be seen', async () => {
    const [a] = await members('a', 'b')
    table = routing(
      ['a1'],
      Array.from({ length: 300 }, (_, i) => `b${i}`),
    )
    await ledger.set({ [ROUTING_STAGE]: '2' })
    await a.beat()
    await waits(...Array.from({ length: 300 }, (_, i) => `b${i}`), 'a1')
    await a.claimer.claim(1, NEVER)
    expect(await a.cells()).toEqual([])
    a.claimer.noteCells(['a1'])
    await a.claimer.claim(1, NEVER)
    expect(await a.cells()).toEqual(['a1'])
  })

  it('takes nothing by the table of another stage: it has to have the new one first', async () => {
    const [a, b] = await members('a', 'b')
    await waits('a1', 'a2')
    table = null
    await ledger.set({ [ROUTING_STAGE]: '2' })
    await a.beat()
    expect(a.claimer.stage).toBe(0)
    expect(await a.claimer.claim(9, NEVER)).toBe(false)
    expect(a.claimer.notifyOwners(['a1'])).toEqual(['a1'])
    table = routing(['a1'], ['a2'])
    await a.beat()
    await b.beat()
    await a.claimer.claim(9, NEVER)
    await b.claimer.claim(9, NEVER)
    expect([await a.cells(), await b.cells()]).toEqual([['a1'], ['a2']])
  })

  it('does not take again what it was asked to give back, before it has the table of the next stage', async () => {
    const [a] = await members('a', 'b')
    await waits('a1', 'a2')
    a.claimer.movedAway(['a1'])
    await a.claimer.claim(9, NEVER)
    expect(await a.cells()).toEqual(['a2'])
    await ledger.set({ [ROUTING_STAGE]: '2' })
    await a.beat()
    await a.claimer.claim(9, NEVER)
    expect((await a.cells()).sort()).toEqual(['a1', 'a2'])
  })

  it('leaves a cell whose turn another holds, is to have next, or needs for a request', async () => {
    table = routing(['a1', 'a2', 'a3'], ['a1#other'])
    const [a, b] = await members('a', 'b')
    await waits('a1#x', 'a1', 'a2', 'a3')
    await ledger.grant(b.incarnation, ['a1#x'], LEASE, 0)
    a.claimer.turnsRequested(['a3'])
    await a.claimer.claim(9, group => group === 'a2')
    expect(await a.cells()).toEqual([])
    clock.advance(3_000)
    a.claimer.recheck()
    await a.claimer.claim(9, NEVER)
    expect((await a.cells()).sort()).toEqual(['a2', 'a3'])
  })
})
