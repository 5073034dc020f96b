import { expect, it } from 'vitest'
import type { AgentRow } from '../../ledger/index.js'
import { CellAccount, cellCounts } from './cell-account.js'

const here = (...incarnations: number[]): AgentRow[] =>
  incarnations.map(incarnation => ({
    name: `agent-${incarnation}`,
    incarnation,
    open: true,
    heartbeatAt: 0,
    status: '{}',
    lanes: 1,
    unseen: 0,
  }))

it('what agents took and were given is counted once, whoever coordinates and whoever has gone', () => {
  const first = new CellAccount()
  first.granted(3)
  first.claimed(1, 10)
  first.claimed(2, 5)
  // An older word comes late.
  first.claimed(1, 7)
  const written = first.takeChanged()!
  expect(cellCounts(written)).toEqual({ taken: 15, given: 3 })
  expect(first.takeChanged()).toBeNull()

  const next = new CellAccount()
  next.restore(written)
  expect(next.takeChanged()).toBeNull()
  next.claimed(1, 12)
  next.look(here(2, 3))
  next.claimed(3, 1)
  next.granted(1)
  expect(cellCounts(next.takeChanged()!)).toEqual({ taken: 18, given: 4 })
  expect(cellCounts({})).toEqual({ taken: 0, given: 0 })
})
