import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ManualClock } from '../../../../test/kit/manual-clock.js'
import type { Ledger } from '../../../ledger/index.js'
import { openSqliteLedger } from '../../../ledger/sqlite/index.js'
import { type SitePace, Turns } from '../../../page/politeness/index.js'
import { ProcedureTurns } from './procedure-turns.js'

const OWN = 'http://a.test/robots.txt'
const OTHER = 'http://b.test/robots.txt'
const PAUSE = { ownMs: 1_000, groupMs: 1_000 }
const politeness = { oneMore: async () => {}, afterRobots: () => PAUSE }

let clock: ManualClock
let ledger: Ledger
let stopping: AbortController
/** Groups whose turns were asked for. */
let announced: string[]

beforeEach(() => {
  clock = new ManualClock()
  stopping = new AbortController()
  announced = []
  const path = join(mkdtempSync(join(tmpdir(), 'orb-turns-')), 'ledger.db')
  ledger = openSqliteLedger(path, { create: true, now: () => clock.now() })
})
afterEach(() => ledger.close())

async function agentTurns(incarnation?: number): Promise<Turns> {
  return new Turns({
    clock,
    ledger,
    incarnation: incarnation ?? (await ledger.join('agent')),
    grouping: 'domain',
    resolve: async () => [],
    leastDelayMs: () => 1_000,
    connectionsPerSite: () => 1,
    leaseMs: 30_000,
    signal: stopping.signal,
    onFailure: error => {
      throw error
    },
  })
}

/** A procedure of a.test that has just taken its turn. */
async function procedure(
  turns: Turns,
  maxWaitMs = 600_000,
): Promise<{ own: SitePace; held: ProcedureTurns }> {
  const own = (await turns.borrow('a.test'))!
  expect(await own.turn(PAUSE)).toBe(true)
  return {
    own,
    held: new ProcedureTurns(
      {
        clock,
        turns,
        politeness,
        pause: PAUSE,
        isLocal: () => false,
        maxWaitMs,
        announce: groups => announced.push(...groups),
        farOff: wait => wait,
        isOver: () => stopping.signal.aborted,
      },
      'a.test',
      own,
    ),
  }
}

/** Whether `promise` is settled once everything that can happen now has happened. */
async function isSettled(promise: unknown): Promise<boolean> {
  let settled = false
  void Promise.resolve(promise).then(() => {
    settled = true
  })
  for (let i = 0; i < 5; i++) await new Promise(resolve => setImmediate(resolve))
  return settled
}

describe('the attempts of one procedure', () => {
  test('count as one request: nobody else of the group comes between, and the delay runs from the last', async () => {
    const turns = await agentTurns()
    const { held } = await procedure(turns)
    const sibling = (await turns.borrow('www.a.test'))!
    const waiting = sibling.turn(PAUSE)
    for (let attempt = 0; attempt < 4; attempt++) {
      expect(await held.before(OWN)).toBe(true)
      clock.advance(2_000)
      expect(await isSettled(waiting)).toBe(false)
    }
    held.done()
    clock.advance(999)
    expect(await isSettled(waiting)).toBe(false)
    clock.advance(1)
    expect(await waiting).toBe(true)
  })
})

describe('a hop to another group', () => {
  test('takes the turn of that group, and gives its own back before it waits', async () => {
    const turns = await agentTurns()
    const { held } = await procedure(turns)
    const other = (await turns.borrow('b.test'))!
    expect(await other.turn(PAUSE)).toBe(true)
    const hop = held.before(OTHER)
    expect(await isSettled(hop)).toBe(false)
    clock.advance(1_000)
    const sibling = (await turns.borrow('www.a.test'))!
    expect(await sibling.turn(PAUSE)).toBe(true)
    other.done(PAUSE, PAUSE)
    expect(await isSettled(hop)).toBe(false)
    clock.advance(1_000)
    expect(await hop).toBe(true)
    held.done()
    const next = (await turns.borrow('b.test'))!.turn(PAUSE)
    clock.advance(999)
    expect(await isSettled(next)).toBe(false)
    clock.advance(1)
    expect(await next).toBe(true)
  })

  test('keeps to a wait that only the ledger knows', async () => {
    await ledger.saveWait('b.test', clock.now() + 5_000, 0)
    const { held } = await procedure(await agentTurns())
    const hop = held.before(OTHER)
    expect(await isSettled(hop)).toBe(false)
    clock.advance(5_000)
    expect(await isSettled(hop)).toBe(true)
  })

  test('comes back later when the wait is too long', async () => {
    await ledger.saveWait('b.test', clock.now() + 700_000, 0)
    const { held } = await procedure(await agentTurns())
    expect(await held.before(OTHER)).toBe(clock.now() + 700_000)
  })

  test('waits while another agent holds the turn, asks for it, and holds none meanwhile', async () => {
    const others = await agentTurns()
    const theirs = (await others.borrow('b.test'))!
    await theirs.turn(PAUSE)
    const turns = await agentTurns()
    const { held } = await procedure(turns)
    const hop = held.before(OTHER)
    const sibling = (await turns.borrow('www.a.test'))!.turn(PAUSE)
    for (let second = 0; second < 20; second++) {
      expect(await isSettled(hop)).toBe(false)
      clock.advance(1_000)
    }
    expect(await isSettled(sibling)).toBe(true)
    expect(new Set(announced)).toEqual(new Set(['b.test']))
    theirs.done(PAUSE, PAUSE)
    others.close(theirs)
    const passedOn = clock.now()
    for (let step = 0; step < 30 && !(await isSettled(hop)); step++) clock.advance(100)
    expect(await isSettled(hop)).toBe(true)
    expect(await hop).toBe(true)
    // At its next look, and not within the delay after the other's request.
    expect(clock.now() - passedOn).toBeGreaterThanOrEqual(PAUSE.groupMs)
    expect(clock.now() - passedOn).toBeLessThanOrEqual(2_500)
  })

  test('comes back later when another agent holds the turn for too long', async () => {
    const holder = await ledger.join('holder')
    const theirs = (await (await agentTurns(holder)).borrow('b.test'))!
    await theirs.turn(PAUSE)
    const { held } = await procedure(await agentTurns(), 60_000)
    const hop = held.before(OTHER)
    for (let second = 0; second < 59; second++) {
      expect(await isSettled(hop)).toBe(false)
      await ledger.heartbeat(holder, 30_000, '{}')
      clock.advance(1_000)
    }
    clock.advance(2_000)
    expect(await hop).toBeGreaterThan(clock.now())
  })

  test('does not wait for a turn of another agent when its site is left', async () => {
    const theirs = (await (await agentTurns()).borrow('b.test'))!
    await theirs.turn(PAUSE)
    const { held } = await procedure(await agentTurns())
    const hop = held.before(OTHER)
    expect(await isSettled(hop)).toBe(false)
    stopping.abort()
    clock.advance(1_000)
    expect(await hop).not.toBe(true)
  })

  test('ends when the crawl does', async () => {
    const turns = await agentTurns()
    const { held } = await procedure(turns)
    await ledger.saveWait('b.test', clock.now() + 5_000, 0)
    const hop = held.before(OTHER)
    expect(await isSettled(hop)).toBe(false)
    stopping.abort()
    expect(await hop).not.toBe(true)
  })
})
