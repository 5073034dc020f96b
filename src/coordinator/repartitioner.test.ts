import { beforeEach, describe, expect, it } from 'vitest'
import { ManualClock } from '../../test/kit/manual-clock.js'
import { type AgentView, type Assignment, LiveAssignment } from '../assign/index.js'
import { type BusMessage, type Ledger, LocalBus } from '../cluster/index.js'
import { openMemoryLedger } from '../cluster/memory-ledger.js'
import { LIMITS } from '../model/limits.js'
import { type Proposal, REPARTITIONS, type Reason, Repartitioner } from './repartitioner.js'

const LEASE = 1_000_000

/** Everything is meant for one agent. */
function all(owner: number): Assignment {
  return {
    name: 'hypergraph',
    looksAt: 'all',
    plan: null,
    owners: null,
    assign: () => ({ given: new Map(), wanted: new Map() }),
    meantFor: () => owner,
    laneOf: () => 0,
  }
}

describe('live repartition', () => {
  let clock: ManualClock
  let ledger: Ledger
  let agents: AgentView[]
  let heard: BusMessage[]
  let asked: Reason[]
  let gainMs: number
  let repartitioner: Repartitioner
  let assignment: LiveAssignment

  beforeEach(async () => {
    clock = new ManualClock()
    ledger = openMemoryLedger(() => clock.now())
    const [a, b] = [await ledger.join('a'), await ledger.join('b')]
    agents = [view('a', a), view('b', b)]
    const rows = [{ url: 'http://x.test/', depth: 0, hops: 0, score: 0, via: '' }]
    await ledger.append(['x.test', 'y.test'].map(cell => ({ cell, group: cell, rows })))
    await ledger.grant(a, ['x.test', 'y.test'], LEASE, 0)
    const bus = new LocalBus()
    heard = []
    bus.join().listen(message => heard.push(message))
    asked = []
    gainMs = 1_000
    assignment = new LiveAssignment(all(a))
    const predicted = { costMs: 500, messagesBefore: 10, messagesAfter: 5, movedSites: 2 }
    repartitioner = new Repartitioner({
      clock,
      ledger,
      bus: bus.join(),
      assignment,
      everyMs: 60_000,
      restore: async () => null,
      propose: async (_agents, why): Promise<Proposal> => {
        asked.push(why)
        return { predicted: { ...predicted, gainMs }, adopt: async () => all(b) }
      },
      log: () => {},
    })
  })

  const view = (name: string, incarnation: number): AgentView => ({
    name,
    incarnation,
    lanes: 5,
    freeLanes: 3,
    busyLanes: [],
    capacity: 1,
  })
  const look = async (here = agents) => {
    await repartitioner.look(here)
    for (let i = 0; i < 50; i++) await Promise.resolve()
  }
  const records = async () => JSON.parse((await ledger.settings())[REPARTITIONS] ?? '[]')

  it('moves what is with the wrong agent: asked for with every beat, until it is given back; both are recorded', async () => {
    await look()
    expect(asked).toEqual([])
    clock.advance(60_000)
    await look()
    expect(asked).toEqual(['time'])
    expect(assignment.meantFor('x.test')).toBe(agents[1].incarnation)
    for (let beat = 0; beat < 2; beat++) await look()
    const wanted = { kind: 'move', to: agents[0].incarnation, cells: ['x.test', 'y.test'], force: false }
    expect(heard).toEqual([wanted, wanted])
    for (const { cell, epoch } of await ledger.leases(agents[0].incarnation, 0))
      await ledger.release(cell, epoch, 'tail')
    clock.advance(700)
    await look()
    const [record, ...others] = await records()
    expect(others).toEqual([])
    expect(record).toMatchObject({
      why: 'time',
      isWorth: true,
      predicted: { gainMs: 1_000, costMs: 500 },
      happened: { relocationMs: 700, moved: 2, forced: 0 },
    })
  })

  it('leaves all as it is where moving costs more than it brings', async () => {
    gainMs = 400
    await look()
    clock.advance(60_000)
    await look()
    expect(assignment.meantFor('x.test')).toBe(agents[0].incarnation)
    expect(await records()).toEqual([])
  })

  it('asks by force only after a while', async () => {
    await look()
    clock.advance(60_000)
    await look()
    clock.advance(LIMITS.moveGraceMs + 1)
    await look()
    expect(heard.at(-1)).toMatchObject({ kind: 'move', force: true })
  })

  it('is due when an agent has come or gone for good, not before', async () => {
    await look()
    await look(agents.slice(1))
    await look(agents.slice(1))
    expect(asked).toEqual([])
    clock.advance(LIMITS.partGraceMs)
    await look(agents.slice(1))
    expect(asked).toEqual(['left'])
  })
})
