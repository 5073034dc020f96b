import { describe, expect, it } from 'vitest'
import { chooseAssignment } from '../../../compose/index.js'
import type { AssignmentName } from '../../../config/index.js'
import { SeededRandom } from '../../../model/index.js'
import type { AgentView } from '../index.js'
import { PART_OWNERS, ROUTING_MEMBERS, Routes } from './routes.js'
import { RoutingTable } from './routing-table.js'

const KNOWN = Array.from({ length: 60 }, (_, i) => `known${i}.test`)
const NEW = Array.from({ length: 200 }, (_, i) => `new${i}.test`)
const table = RoutingTable.of(
  3,
  KNOWN.map((site, i) => ({ site, part: i % 3 })),
)

function agent(number: number, capacity: number): AgentView {
  return {
    name: `agent-${number}`,
    incarnation: 10 + number,
    lanes: 2,
    freeLanes: 2,
    held: 0,
    busyLanes: [],
    capacity,
  }
}

/** A coordinator that has seen these agents, and what it tells them. */
function coordinated(name: AssignmentName, ...rounds: readonly AgentView[][]) {
  const now = () => 0
  const assignment = chooseAssignment(name, new SeededRandom(1), { table, now, stage: 1 })
  for (const agents of rounds) assignment.assign([], agents)
  const settings = {
    [PART_OWNERS]: JSON.stringify(assignment.owners!.takeChanged()),
    [ROUTING_MEMBERS]: JSON.stringify(assignment.routes!.members),
  }
  return { assignment, settings }
}

describe('agents that route on their own', () => {
  const members = [agent(1, 1), agent(2, 0.3), agent(3, 5), agent(4, 1)]

  it('come to the same answer as the coordinator, for sites of the table and for those that nothing is known of', () => {
    // What one can do has changed meanwhile, too little for the coordinator to move anything.
    const later = [...members.slice(0, 3), agent(4, 1.4)]
    const { assignment, settings } = coordinated('hypergraph', members, later)
    for (const { name, incarnation } of members) {
      const routes = new Routes('hypergraph', { name, incarnation })
      routes.apply(settings)
      for (const site of [...KNOWN, ...NEW])
        expect(routes.ownerOf(site, table)).toBe(assignment.intendedOwner!(site))
      expect(new Set(NEW.map(site => routes.ownerOf(site, table))).size).toBe(members.length)
    }
  })

  it('leave to the coordinator what they cannot tell: parts whose agent is away, parts of split sites, and with hybrid new sites', () => {
    const { settings } = coordinated('hybrid', members.slice(0, 2))
    const routes = new Routes('hybrid', { name: 'agent-1', incarnation: 11 })
    routes.apply(settings)
    expect(KNOWN.slice(0, 3).map(site => routes.ownerOf(site, table))).toEqual([11, 12, null])
    expect(routes.ownerOf(NEW[0], table)).toBeNull()
    expect(routes.ownerOf(`${KNOWN[0]}#a#b`, table)).toBeNull()
  })

  it('know better than what was last said which life they are in themselves', () => {
    const { settings } = coordinated('graph', members)
    const routes = new Routes('graph', { name: 'agent-2', incarnation: 99 })
    routes.apply(settings)
    expect(routes.ownerOf(KNOWN[1], table)).toBe(99)
    const drawn = NEW.map(site => routes.ownerOf(site, table))
    expect(drawn).toContain(99)
    expect(drawn).not.toContain(12)
  })
})
