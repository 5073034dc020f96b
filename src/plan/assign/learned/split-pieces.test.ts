/** Who gets the pieces of a site that was split. */
import { describe, expect, it } from 'vitest'
import { chooseAssignment } from '../../../compose/index.js'
import type { LaneName, WaitingCell } from '../../../ledger/index.js'
import { SeededRandom } from '../../../model/index.js'
import type { AgentView, Assignment } from '../index.js'
import { RoutingTable } from './routing-table.js'

const AGENTS: readonly AgentView[] = [1, 2, 3, 4].map(number => ({
  name: `agent-${number}`,
  incarnation: number,
  lanes: 50,
  freeLanes: 50,
  held: 0,
  busyLanes: [],
  capacity: 1,
}))

const piece = (i: number) => `giant.test#/${i}#/${i + 1}`

function waits(cell: string, size: number, more: Partial<WaitingCell> = {}): WaitingCell {
  const turn = 'giant.test'
  return { cell, group: cell, rank: 0, size, backlog: 0, turnOf: null, turn, boundTo: null, ...more }
}

const partOf = (i: number) => 3 - (i >> 1)

const known = RoutingTable.of(4, [
  ...AGENTS.map((_, part) => ({ site: `s${part}.test`, part })),
  ...Array.from({ length: 8 }, (_, i) => ({ site: piece(i), part: partOf(i) })),
])

describe.each(['hypergraph', 'graph', 'hybrid'] as const)('with %s, pieces of a split site', name => {
  const choose = (): Assignment => {
    const random = new SeededRandom(1)
    const assignment = chooseAssignment(name, random, { table: known, now: () => 0 })
    assignment.assign([], AGENTS)
    return assignment
  }
  const ownerOf = (assignment: Assignment, cell: string) => assignment.intendedOwner?.(cell) ?? null

  it('go where the table says, and to nobody else who has a lane', () => {
    const assignment = choose()
    const rows = Array.from({ length: 8 }, (_, i) => waits(piece(i), 10))
    const { given } = assignment.assign(rows, AGENTS)
    const ofPart = AGENTS.map((_, part) => ownerOf(assignment, `s${part}.test`))
    for (const [i, { cell }] of rows.entries()) {
      expect(ownerOf(assignment, cell)).toBe(ofPart[partOf(i)])
      expect(given.get(ofPart[partOf(i)]!)).toContain(cell)
    }
    const busy = AGENTS.map(agent => (agent.incarnation === ofPart[0] ? { ...agent, freeLanes: 0 } : agent))
    expect(assignment.assign([waits(piece(6), 10)], busy).given.size).toBe(0)
  })

  it('that it does not know are shared evenly by what waits in them, and stay where they are', () => {
    const assignment = choose()
    const rows = Array.from({ length: 40 }, (_, i) => waits(piece(100 + i), 10 + ((7 * i) % 90)))
    for (let from = 0; from < rows.length; from += 8) assignment.assign(rows.slice(from, from + 8), AGENTS)
    const owners = rows.map(({ cell }) => ownerOf(assignment, cell))
    const loads = AGENTS.map(({ incarnation }) =>
      rows.reduce((sum, { size }, i) => sum + (owners[i] === incarnation ? size : 0), 0),
    )
    const mean = loads.reduce((sum, load) => sum + load, 0) / 4
    expect(Math.max(...loads) / mean).toBeLessThan(1.1)
    assignment.assign(rows, AGENTS)
    expect(rows.map(({ cell }) => ownerOf(assignment, cell))).toEqual(owners)
  })

  it('are remembered by the next coordinator, whose own go where there is room', () => {
    const first = choose()
    first.assign([waits(piece(100), 1_000), waits(piece(101), 10)], AGENTS)
    const bound = new Map<string, LaneName>(first.plan!.takeNew().map(each => [each.cell, each]))
    const owner = first.intendedOwner?.(piece(100))
    const next = choose()
    const { agent } = bound.get(piece(100))!
    next.plan!.restore([{ agent, lane: 0, cells: 1, size: 1_000 }])
    const fresh = Array.from({ length: 9 }, (_, i) => waits(piece(200 + i), 10))
    next.assign([waits(piece(100), 1_000, { boundTo: bound.get(piece(100))! }), ...fresh], AGENTS)
    expect(next.intendedOwner?.(piece(100))).toBe(owner)
    for (const { cell } of fresh) expect(next.intendedOwner?.(cell)).not.toBe(owner)
  })

  it('wait for their agent when another holds the turn, which is asked to pass it on', () => {
    const assignment = choose()
    const holder = ownerOf(assignment, 's0.test')!
    const owner = ownerOf(assignment, 's3.test')!
    const { given, wanted } = assignment.assign([waits(piece(1), 10, { turnOf: holder })], AGENTS)
    expect(given.size).toBe(0)
    expect(wanted.get(holder)).toEqual(new Set(['giant.test']))
    const { given: later } = assignment.assign([waits(piece(1), 10)], AGENTS)
    expect(later.get(owner)).toEqual([piece(1)])
  })
})
