import { expect, it } from 'vitest'
import type { AgentRow } from '../../ledger/index.js'
import { AgentAbilities } from './agent-abilities.js'

const SECOND = 1_000

interface Told {
  readonly pages: number
  readonly cpuIdle?: number
  readonly diskFree?: number
}

function row(incarnation: number, at: number, { pages, cpuIdle = 0.5, diskFree = 0.5 }: Told): AgentRow {
  const load = { cpuIdle, memoryFree: 0.4, diskFree, bandwidthFree: null, bytesPerSecond: 0 }
  return {
    ...{ name: `agent-${incarnation % 10}`, incarnation, open: true, lanes: 8, unseen: 0 },
    heartbeatAt: at,
    status: JSON.stringify({ pages, load }),
  }
}

/** What is known after agents have spoken so, one look after the other. */
async function told(...looks: (readonly AgentRow[])[]) {
  let now = 0
  let rows: readonly AgentRow[] = []
  const book = new AgentAbilities({ agents: async () => rows }, () => now)
  for (const each of looks) {
    rows = each
    await book.update()
    now += 10 * SECOND
  }
  return book.abilities()
}

it('an agent is worth what it gets through while it is busy, however much it has to do', async () => {
  const found = await told(
    [row(1, 0, { pages: 0 }), row(2, 0, { pages: 0 })],
    // The one is busy nine tenths of the time, the other one tenth; both take 10 ms a page.
    [
      row(1, 10 * SECOND, { pages: 900, cpuIdle: 0.1 }),
      row(2, 10 * SECOND, { pages: 100, cpuIdle: 0.9, diskFree: 0.05 }),
    ],
  )
  expect(found).toEqual([
    { name: 'agent-1', lanes: 8, speed: 100, room: 1 },
    { name: 'agent-2', lanes: 8, speed: 100, room: 0.5 },
  ])
})

it('the incarnations of an agent count together, each from its own beginning', async () => {
  const found = await told(
    [row(1, 0, { pages: 100 })],
    [row(1, 10 * SECOND, { pages: 600 })],
    [row(11, 30 * SECOND, { pages: 0 })],
    [row(11, 40 * SECOND, { pages: 300 })],
  )
  expect(found).toMatchObject([{ name: 'agent-1', speed: 80 }])
})

it('who has hardly done anything, or has not spoken again, is not judged', async () => {
  expect(await told([row(1, 0, { pages: 0 })], [row(1, 10 * SECOND, { pages: 9 })])).toEqual([])
  expect(await told([row(1, 0, { pages: 500 })], [row(1, 0, { pages: 500 })])).toEqual([])
})
