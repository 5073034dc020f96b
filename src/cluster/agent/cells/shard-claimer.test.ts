import { beforeEach, describe, expect, it } from 'vitest'
import { ManualClock } from '../../../../test/kit/manual-clock.js'
import type { Incarnation, Ledger } from '../../../ledger/index.js'
import { openMemoryLedger } from '../../../ledger/memory/index.js'
import { ShardClaimer } from './shard-claimer.js'

const LEASE = 30_000
const SHARDS = 3

describe('agents that take their shards themselves', () => {
  let clock = new ManualClock()
  let ledger: Ledger = openMemoryLedger(() => clock.now())

  beforeEach(async () => {
    clock = new ManualClock()
    ledger = openMemoryLedger(() => clock.now())
    const rows = [{ url: 'http://x/', depth: 0, hops: 0, score: 0, via: '' }]
    for (const site of ['a.test', 'b.test'])
      for (let shard = 0; shard < SHARDS; shard++)
        await ledger.append([{ cell: `${site}#${shard}`, group: `#${shard}`, rows }])
  })

  async function agent(name: string) {
    const incarnation = await ledger.join(name, 10)
    await ledger.heartbeat(incarnation, LEASE, '{}')
    const claimer = new ShardClaimer({
      clock,
      ledger,
      incarnation,
      leaseMs: LEASE,
      leastDelayMs: () => 0,
      shards: SHARDS,
    })
    return { incarnation, claimer, look: () => look(claimer, incarnation) }
  }

  const cellsOf = async (incarnation: Incarnation) =>
    (await ledger.leases(incarnation, 0)).map(({ cell }) => cell).sort()

  async function look(claimer: ShardClaimer, incarnation: Incarnation): Promise<string[]> {
    claimer.recheck()
    await claimer.claim(10, await cellsOf(incarnation))
    return cellsOf(incarnation)
  }

  it('have all cells of a shard, each a shard of its own', async () => {
    const members = [await agent('a'), await agent('b'), await agent('c')]
    const taken = await Promise.all(members.map(({ look }) => look()))
    expect(taken).toEqual([0, 1, 2].map(shard => [`a.test#${shard}`, `b.test#${shard}`]))
    for (const { look } of members) expect(await look()).toHaveLength(2)
  })

  it('lease the shard of one that died after a lease, under a new epoch', async () => {
    const [a, b] = [await agent('a'), await agent('b')]
    await a.look()
    await b.look()
    const before = await ledger.leases(a.incarnation, 0)
    for (let i = 0; i < 5; i++) {
      clock.advance(LEASE / 4)
      await ledger.heartbeat(b.incarnation, LEASE, '{}')
      await b.look()
    }
    for (let i = 0; i < 3; i++) {
      clock.advance(2_000)
      await ledger.heartbeat(b.incarnation, LEASE, '{}')
      await b.look()
    }
    const after = await ledger.leases(b.incarnation, 0)
    expect(after).toHaveLength(2 * SHARDS)
    for (const { cell, epoch } of before)
      expect(after.find(lease => lease.cell === cell)!.epoch).toBe(epoch + 1)
  })

  it('give one back when others have come and they have more than their share', async () => {
    const a = await agent('a')
    await a.look()
    await a.look()
    expect(await a.look()).toHaveLength(2 * SHARDS)
    await agent('b')
    clock.advance(2_000)
    await a.look()
    const cells = await cellsOf(a.incarnation)
    expect(a.claimer.excess(cells)).toBeNull()
    clock.advance(6_000)
    expect(a.claimer.excess(cells)).toBe(2)
    expect(a.claimer.excess(cells.filter(cell => !cell.endsWith('#2')))).toBeNull()
  })
})
