import { beforeEach, describe, expect, it } from 'vitest'
import { ManualClock } from '../../../test/kit/manual-clock.js'
import { type Bus, type BusMessage, LocalBus } from '../../bus/index.js'
import type { Ledger } from '../../ledger/index.js'
import { openMemoryLedger } from '../../ledger/memory/index.js'
import { LIMITS } from '../../model/index.js'
import type { AgentView, Assignment } from '../../plan/assign/index.js'
import { LiveAssignment } from '../../plan/assign/learned/index.js'
import { type Predicted, type Reason, recordsIn } from './repartition-record.js'
import { type Proposal, Repartitioner } from './repartitioner.js'

const LEASE = 1_000_000
const PACE = { downloadMs: 1_000, exchangeMs: 0, pagesPerSecond: 4, messagesPerPage: 1 }
const CELLS = ['x.test', 'y.test']

/** Everything is meant for one agent. */
function all(owner: number): Assignment {
  return {
    name: 'hypergraph',
    looksAt: 'all',
    plan: null,
    owners: null,
    assign: () => ({ given: new Map(), wanted: new Map() }),
    intendedOwner: () => owner,
    laneOf: () => 0,
  }
}

describe('live repartition', () => {
  let clock: ManualClock
  let ledger: Ledger
  let bus: Bus
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
    await ledger.append(CELLS.map(cell => ({ cell, group: cell, rows })))
    await ledger.grant(a, CELLS, LEASE, 0)
    const all_ = new LocalBus()
    heard = []
    all_.join().subscribe(message => heard.push(message))
    bus = all_.join()
    asked = []
    gainMs = 1_000
    assignment = new LiveAssignment(all(a))
    repartitioner = coordinating(assignment, all(a))
    await repartitioner.seated()
  })

  /** `adopted`: what it finds in the store when it takes the seat. */
  const coordinating = (live: LiveAssignment, adopted: Assignment): Repartitioner => {
    const predicted: Omit<Predicted, 'gainMs'> = {
      left: 4,
      relocationMs: 500,
      movedSites: 2,
      askedBack: 2,
      before: PACE,
      after: PACE,
    }
    const left = ['x.test', 'y.test', 'done.test'].map((site, i) => ({
      site,
      queued: i < 2 ? 2 : 0,
      known: 2,
      part: 0,
      heldBy: i < 2 ? 0 : -1,
      isTakenOver: false,
    }))
    return new Repartitioner({
      clock,
      ledger,
      bus,
      assignment: live,
      everyMs: 60_000,
      restore: async () => adopted,
      propose: async (_agents, why): Promise<Proposal> => {
        asked.push(why)
        return { predicted: { ...predicted, gainMs }, left, adopt: async () => all(agents[1].incarnation) }
      },
      log: () => {},
    })
  }

  const view = (name: string, incarnation: number): AgentView => ({
    name,
    incarnation,
    lanes: 5,
    freeLanes: 3,
    held: 0,
    busyLanes: [],
    capacity: 1,
  })
  const look = async (here = agents, who = repartitioner) => {
    await who.look(here)
    for (let i = 0; i < 100; i++) await Promise.resolve()
  }
  const decide = async () => {
    await look()
    clock.advance(60_000)
    await look()
  }
  const releaseAll = async () => {
    for (const { cell, epoch } of await ledger.leases(agents[0].incarnation, 0))
      await ledger.release(cell, epoch, 'tail')
  }
  const records = async () => recordsIn(await ledger.settings())
  const speak = async (forcedCells: number) => {
    clock.advance(1)
    await ledger.heartbeat(agents[0].incarnation, LEASE, JSON.stringify({ forcedCells }))
  }

  it('moves what is with the wrong agent: asked for with every beat, until it is given back; both are recorded', async () => {
    await look()
    expect(asked).toEqual([])
    clock.advance(60_000)
    await look()
    expect(asked).toEqual(['time'])
    expect(assignment.intendedOwner('x.test')).toBe(agents[1].incarnation)
    for (let beat = 0; beat < 2; beat++) await look()
    const wanted = { kind: 'move', to: agents[0].incarnation, cells: CELLS, force: false }
    expect(heard).toEqual([wanted, wanted])
    expect(await records()).toMatchObject([{ isWorth: true, moved: null }])
    await releaseAll()
    clock.advance(700)
    await look()
    const [record, ...others] = await records()
    expect(others).toEqual([])
    expect(record).toMatchObject({
      why: 'time',
      isWorth: true,
      predicted: { gainMs: 1_000, relocationMs: 500, movedSites: 2, askedBack: 2 },
      // The site that is done has another agent too, which makes no difference to anybody.
      moved: { relocationMs: 700, movedSites: 2, askedBack: 2, forced: 0 },
    })
    expect(record.before!.to.at - record.before!.from.at).toBe(60_000)
  })

  it('says that moving took no time where nothing was leased', async () => {
    await releaseAll()
    await decide()
    clock.advance(1_000)
    await look()
    expect(await records()).toMatchObject([{ moved: { movedSites: 2, askedBack: 0, relocationMs: 0 } }])
    expect(heard).toEqual([])
  })

  it('the time after one repartition ends with the next, and is the time before that', async () => {
    await releaseAll()
    await decide()
    await look()
    expect((await records())[0].after).toBeNull()
    clock.advance(60_000)
    await look()
    const [first, second] = await records()
    expect(first.after).toEqual(second.before)
    expect(first.after!.to.at).toBeGreaterThan(first.after!.from.at)
    expect(second.after).toBeNull()
  })

  it('leaves all as it is where moving costs more than it brings', async () => {
    gainMs = 400
    await decide()
    expect(assignment.intendedOwner('x.test')).toBe(agents[0].incarnation)
    expect(await records()).toEqual([])
  })

  it('asks by force only after a while, and counts what an agent says it gave up so, not what came by itself', async () => {
    await speak(3)
    await decide()
    clock.advance(LIMITS.moveGraceMs + 1)
    await look()
    expect(heard.at(-1)).toMatchObject({ kind: 'move', force: true })
    await releaseAll()
    await look()
    // The word that is on its way may be older than what was done.
    expect(await records()).toMatchObject([{ moved: null }])
    for (let beat = 0; beat < 2; beat++) {
      await speak(4)
      await look()
    }
    expect(await records()).toMatchObject([{ moved: { askedBack: 2, forced: 1 } }])
  })

  it('what was under way when a coordinator died is gone on with by the next', async () => {
    await decide()
    expect(await records()).toMatchObject([{ moved: null }])
    const next = coordinating(new LiveAssignment(all(agents[0].incarnation)), all(agents[1].incarnation))
    await next.seated()
    await look(agents, next)
    expect(heard.at(-1)).toMatchObject({ kind: 'move', cells: CELLS })
    clock.advance(5_000)
    await releaseAll()
    await look(agents, next)
    expect(await records()).toMatchObject([{ moved: { askedBack: 2, relocationMs: 5_000 } }])
  })

  it('a stop between two runs is no part of the time that is measured', async () => {
    await releaseAll()
    await decide()
    await look()
    clock.advance(86_400_000)
    await repartitioner.seated()
    clock.advance(60_000)
    await look()
    const [first, second] = await records()
    expect(first.after!.to.at - first.after!.from.at).toBeLessThan(86_400_000)
    expect(second.before!.to.at - second.before!.from.at).toBe(60_000)
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

  it('is due all the same where agents come and go without end', async () => {
    for (let second = 0; second < 50 && asked.length === 0; second++) {
      await look(second % 2 === 0 ? agents : agents.slice(1))
      clock.advance(1_000)
    }
    expect(asked.length).toBe(1)
    expect(asked[0]).not.toBe('time')
  })
})
