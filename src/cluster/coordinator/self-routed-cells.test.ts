import { describe, expect, it } from 'vitest'
import { ManualClock } from '../../../test/kit/manual-clock.js'
import { chooseAssignment } from '../../compose/index.js'
import type { AssignmentName } from '../../config/index.js'
import type { WaitingCell } from '../../ledger/index.js'
import { SeededRandom } from '../../model/index.js'
import type { AgentView } from '../../plan/assign/index.js'
import { RoutingTable } from '../../plan/assign/learned/index.js'
import { SelfRoutedCells } from './self-routed-cells.js'

const STAGE = 3
const table = RoutingTable.of(2, [
  ...['a1', 'a2', 'a3'].map(site => ({ site, part: 0 })),
  ...['b1', 'b2', 'b3'].map(site => ({ site, part: 1 })),
])

function agent(name: string, freeLanes: number, stage: number): AgentView {
  const incarnation = name.charCodeAt(0)
  return { name, incarnation, lanes: 5, freeLanes, held: 0, busyLanes: [], capacity: 1, stage }
}

function waits(cell: string, turnOf: number | null = null): WaitingCell {
  return { cell, group: cell, rank: 0, size: 1, backlog: 1, turnOf, turn: cell, boundTo: null }
}

function scene(name: AssignmentName, ...agents: AgentView[]) {
  const clock = new ManualClock()
  const now = () => clock.monotonic()
  const assignment = chooseAssignment(name, new SeededRandom(1), { table, now, stage: STAGE })
  assignment.assign([], agents)
  const left = new SelfRoutedCells(clock, assignment)
  const look = (rows: readonly WaitingCell[], views = agents) => {
    const { waiting, agents: rest } = left.without(rows, views)
    return { cells: waiting.map(({ cell }) => cell), lanes: rest.map(({ freeLanes }) => freeLanes) }
  }
  return { clock, look }
}

describe('the coordinator', () => {
  const all = ['a1', 'a2', 'a3', 'b1', 'b2', 'b3'].map(cell => waits(cell))

  it('leaves an agent that has the table its cells and the lanes for them, and gives to one with an old table', () => {
    const { look } = scene('hypergraph', agent('a', 2, STAGE), agent('b', 2, STAGE - 1))
    expect(look(all)).toEqual({ cells: ['b1', 'b2', 'b3'], lanes: [0, 2] })
  })

  it('gives a cell that waited, and whose agent had a lane, for longer than that agent needs to take it', () => {
    const { look, clock } = scene('hypergraph', agent('a', 1, STAGE), agent('b', 0, STAGE))
    expect(look(all).cells).toEqual([])
    clock.advance(2_000)
    expect(look(all)).toEqual({ cells: ['a1', 'a2', 'a3'], lanes: [1, 0] })
    // What came only now is left to its agent for as long.
    expect(look([waits('a1'), waits('new.test')]).cells).toContain('a1')
  })

  it('counts a lane as free from when it was, not from when the cell began to wait', () => {
    const [a, b] = [agent('a', 0, STAGE), agent('b', 0, STAGE)]
    const { look, clock } = scene('hypergraph', a, b)
    look(all)
    clock.advance(60_000)
    expect(look(all, [{ ...a, freeLanes: 1 }, b]).cells).toEqual([])
    clock.advance(2_000)
    expect(look(all, [{ ...a, freeLanes: 1 }, b]).cells).toEqual(['a1', 'a2', 'a3'])
  })

  it('with hybrid has for others what an agent has no lane for, and lanes that it has nothing of its own for', () => {
    const { look } = scene('hybrid', agent('a', 1, STAGE), agent('b', 5, STAGE))
    expect(look([...all, waits('new.test')])).toEqual({ cells: ['a2', 'a3', 'new.test'], lanes: [0, 2] })
  })

  it('gives at once what had to wait for a turn that has been passed on now', () => {
    const { look, clock } = scene('hypergraph', agent('a', 5, STAGE), agent('b', 5, STAGE))
    expect(look([waits('a1', 98)]).cells).toEqual(['a1'])
    clock.advance(100)
    look([])
    expect(look([waits('a1'), waits('a2')])).toEqual({ cells: ['a1'], lanes: [4, 5] })
  })

  it('has to see what an agent cannot take, because another holds the turn or the site was split', () => {
    const { look } = scene('hypergraph', agent('a', 5, STAGE), agent('b', 5, STAGE))
    expect(look([waits('a1', 98), waits('a2', 97), waits('a3#x#y')]).cells).toEqual(['a1', 'a3#x#y'])
  })
})
