import { expect, it } from 'vitest'
import { openMemoryLedger } from '../../ledger/memory/index.js'
import type { Assignment } from '../../plan/assign/index.js'
import { remainingSites } from './remaining-sites.js'

it('what is left of a split site is told piece by piece, each with its own agent, and nothing of the whole', async () => {
  const ledger = openMemoryLedger(() => 0)
  const rows = ['/a', '/b', '/m', '/n', '/o'].map(path => ({
    url: `http://giant.test${path}`,
    depth: 0,
    hops: 0,
    score: 0,
    via: '',
  }))
  await ledger.append([{ cell: 'giant.test', group: 'giant.test', rows }])
  const cells = ['giant.test##/m', 'giant.test#/m#']
  await ledger.split(
    'giant.test',
    0,
    0,
    cells.map(cell => ({ cell, queued: 0 })),
  )
  const agents = ['a', 'b'].map((name, i) => ({
    name,
    incarnation: i + 1,
    lanes: 1,
    freeLanes: 1,
    held: 0,
    busyLanes: [],
    capacity: 1,
  }))
  const assignment: Assignment = {
    name: 'hypergraph',
    looksAt: 'all',
    plan: null,
    owners: null,
    assign: () => ({ given: new Map(), wanted: new Map() }),
    intendedOwner: cell => 1 + cells.indexOf(cell),
    laneOf: () => 0,
  }
  expect(await remainingSites(ledger, assignment, agents)).toEqual([
    { site: cells[0], queued: 2, known: 0, part: 0, heldBy: -1, isTakenOver: false },
    { site: cells[1], queued: 3, known: 0, part: 1, heldBy: -1, isTakenOver: false },
  ])
})
