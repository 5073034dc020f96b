import { expect, it } from 'vitest'
import { openMemoryLedger } from '../../ledger/memory/index.js'
import type { AgentView } from '../../plan/assign/index.js'
import { PART_OWNERS } from '../../plan/assign/learned/index.js'
import { placedAgents } from './placed-agents.js'

const view = (name: string, incarnation: number, capacity = 1): AgentView => ({
  name,
  incarnation,
  lanes: 4,
  freeLanes: 0,
  held: 0,
  busyLanes: [],
  capacity,
})

it('the shares of --parts go to the agents that own the parts, in whatever order they are met', async () => {
  const ledger = openMemoryLedger(() => 0)
  await ledger.set({ [PART_OWNERS]: JSON.stringify(['b', 'c', 'a']) })
  const agents = [view('a', 1), view('b', 2), view('c', 3)]
  const shares = async (here: readonly AgentView[], parts?: readonly number[]) =>
    (await placedAgents(ledger, here, parts)).map(({ share }) => share)
  expect(await shares(agents, [2, 1, 5])).toEqual([5, 2, 1])
  // Who has come in the place of another has its share; one more than there are parts has a usual one.
  expect(await shares([view('new', 4), ...agents.slice(1), view('more', 5)], [2, 1, 6])).toEqual([6, 2, 1, 3])
})

it('without --parts agents have as much as they are able to take', async () => {
  const ledger = openMemoryLedger(() => 0)
  const placed = await placedAgents(
    ledger,
    [view('a', 1, 0.9), view('b', 2, 0.6), view('c', 3, 0.01)],
    undefined,
  )
  expect(placed.map(({ share }) => share)).toEqual([3.6, 2.4, 2])
})

it('what agents say of their lines and of each other is known by name', async () => {
  const ledger = openMemoryLedger(() => 0)
  const [a, b] = [await ledger.join('a'), await ledger.join('b')]
  const load = { bandwidthFree: 0.2, bytesPerSecond: 80_000 }
  const peers = { [b]: { rttMs: 12, bytesPerSecond: 5_000 }, 99: { rttMs: 1, bytesPerSecond: 1 } }
  await ledger.heartbeat(a, 1_000, JSON.stringify({ load, peers }))
  await ledger.heartbeat(b, 1_000, JSON.stringify({ load: { bandwidthFree: null, bytesPerSecond: 80_000 } }))
  const placed = await placedAgents(ledger, [view('a', a), view('b', b)], undefined)
  expect(placed[0]).toMatchObject({
    bytesPerSecond: 100_000,
    peers: { b: { rttMs: 12, bytesPerSecond: 5_000 } },
  })
  expect(Object.keys(placed[0].peers!)).toEqual(['b'])
  expect(placed[1].bytesPerSecond).toBeUndefined()
})
