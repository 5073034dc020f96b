import { expect, it } from 'vitest'
import type { AgentRow } from '../../ledger/index.js'
import { agentLines, agentStates, waitingOf } from './agent-lines.js'

const MINUTES_AGO = Date.now() - 600_000
const load = { cpuIdle: 1, memoryFree: 1, diskFree: 1, bandwidthFree: null, bytesPerSecond: 7 }
const peer = { rttMs: 1, bytesPerSecond: 1_000 }
const told = { held: 2, free: 1, busyLanes: [1, 2], pages: 40, capacity: 0.9, load }
const row = (name: string, incarnation: number, heartbeatAt: number, peers = {}): AgentRow => ({
  name,
  incarnation,
  heartbeatAt,
  lanes: name === 'coordinator' ? 0 : 2,
  open: true,
  unseen: 0,
  status: JSON.stringify({ ...told, peers, waiting: `${name} waits` }),
})

it('an agent that is not heard from has no lane at work, and is no peer of others', () => {
  // By the clock of a database that is ten minutes slow.
  const rows = [
    row('coordinator', 1, MINUTES_AGO + 20_000),
    row('here:1', 2, MINUTES_AGO + 19_500, { 3: peer }),
    row('killed:2', 3, MINUTES_AGO + 8_000, { 2: peer }),
  ]
  const [here, killed] = agentStates(rows)
  expect(here).toMatchObject({ isSilent: false, silentMs: 500, busyLanes: 2, sites: 2, peers: [] })
  expect(killed).toMatchObject({ isSilent: true, silentMs: 12_000, busyLanes: 0, freeLanes: 0, pages: 40 })
  expect(killed).toMatchObject({ sites: 2, load: null, peers: [] })
  expect(agentLines([killed])).toEqual([
    '  killed:2 not heard from for 12.0 s; 2 sites leased to it until its lease ends',
  ])
  expect(agentLines([here])[0]).toContain('2 of 2 lanes busy')
  expect(waitingOf(rows)).not.toContain('killed:2')
})
