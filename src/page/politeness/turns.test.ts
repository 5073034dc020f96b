import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ManualClock } from '../../../test/kit/manual-clock.js'
import type { Ledger } from '../../ledger/index.js'
import { openSqliteLedger } from '../../ledger/sqlite/index.js'
import { type Grouping, groupOf, type Lease } from '../../model/index.js'
import type { SitePace } from './site-pace.js'
import { Turns } from './turns.js'

const LEASE_MS = 30_000
const SECOND = { ownMs: 1_000, groupMs: 1_000 }

describe('turns of an agent', () => {
  let clock: ManualClock
  let ledger: Ledger
  const addresses = new Map<string, readonly string[]>()

  beforeEach(() => {
    clock = new ManualClock()
    const path = join(mkdtempSync(join(tmpdir(), 'orb-turns-')), 'ledger.db')
    ledger = openSqliteLedger(path, { create: true, now: () => clock.now() })
    addresses.clear()
  })
  afterEach(() => ledger.close())

  /** One agent with its turns. */
  async function agent(grouping: Grouping, sitesPerAddress = 100) {
    const incarnation = await ledger.join('agent')
    const stopping = new AbortController()
    const failures: Error[] = []
    const turns = new Turns({
      clock,
      ledger,
      incarnation,
      grouping,
      resolve: async host => addresses.get(host) ?? [],
      leastDelayMs: () => 1_000,
      connectionsPerSite: () => 1,
      leaseMs: LEASE_MS,
      signal: stopping.signal,
      onFailure: error => failures.push(error),
      sitesPerAddress,
    })
    const lease = async (cell: string): Promise<Lease> => {
      const row = { url: `http://${cell}/`, depth: 0, hops: 0, score: 0, via: '' }
      await ledger.append([{ cell, group: groupOf(cell, grouping), rows: [row] }])
      const [granted] = await ledger.grant(incarnation, [cell], LEASE_MS, 1_000)
      return granted
    }
    const open = async (cell: string): Promise<SitePace> => {
      const pace = await turns.open(await lease(cell))
      expect(pace, `${cell} was not opened`).not.toBeNull()
      return pace as SitePace
    }
    return { incarnation, turns, stopping, lease, open, failures }
  }

  const takesTurns = (a: SitePace, b: SitePace): boolean => {
    expect(a.turnNow(SECOND)).toBe(true)
    const shared = !b.turnNow(SECOND)
    if (!shared) b.done(SECOND, SECOND)
    a.done(SECOND, SECOND)
    clock.advance(10_000)
    return shared
  }

  it('domain: hosts of one registrable domain share one, by the private section of the list too', async () => {
    const { open } = await agent('domain')
    expect(takesTurns(await open('www.example.co.uk'), await open('shop.example.co.uk:8080'))).toBe(true)
    expect(takesTurns(await open('one.github.io'), await open('two.github.io'))).toBe(false)
    expect(takesTurns(await open('one.co.uk'), await open('two.co.uk'))).toBe(false)
  })

  it('none: every site is alone', async () => {
    const { open } = await agent('none')
    expect(takesTurns(await open('www.example.org'), await open('example.org'))).toBe(false)
  })

  it('ip: sites of one address share one, those of one domain too, any of several addresses counts', async () => {
    addresses.set('a.test', ['192.0.2.1'])
    addresses.set('b.test', ['192.0.2.9', '192.0.2.1'])
    addresses.set('c.test', ['192.0.2.9'])
    addresses.set('www.c.test', ['192.0.2.3'])
    const { open } = await agent('ip')
    const [a, b, c, www] = [
      await open('a.test'),
      await open('b.test'),
      await open('c.test'),
      await open('www.c.test'),
    ]
    expect(takesTurns(a, b)).toBe(true)
    expect(takesTurns(b, c)).toBe(true)
    expect(takesTurns(a, c)).toBe(false)
    expect(takesTurns(c, www)).toBe(true)
    expect(takesTurns(a, await open('nowhere.test'))).toBe(false)
  })

  it('ip: an address with more sites than the limit is a CDN, also for those who were there before', async () => {
    for (const host of ['a.test', 'b.test', 'c.test']) addresses.set(host, ['192.0.2.1'])
    const { open } = await agent('ip', 2)
    const [a, b] = [await open('a.test'), await open('b.test')]
    expect(takesTurns(a, b)).toBe(true)
    const c = await open('c.test')
    expect(takesTurns(a, b)).toBe(false)
    expect(takesTurns(a, c)).toBe(false)
  })

  it('ip: a turn that another agent holds is not taken; it comes with its wait when that one leaves', async () => {
    addresses.set('a.test', ['192.0.2.1'])
    addresses.set('b.test', ['192.0.2.0', '192.0.2.1'])
    const [first, second] = [await agent('ip'), await agent('ip')]
    const a = await first.open('a.test')
    const lease = await second.lease('b.test')
    expect(await second.turns.open(lease)).toBeNull()
    expect(await ledger.takeTurn(first.incarnation, '192.0.2.0', LEASE_MS, 0)).not.toBeNull()
    await ledger.releaseTurn(first.incarnation, '192.0.2.0', 0)
    a.turnNow(SECOND)
    a.done(SECOND, { ownMs: 20_000, groupMs: 20_000 })
    first.turns.close(a)
    const b = (await second.turns.open(lease)) as SitePace
    expect(b.turnNow(SECOND)).toBe(false)
    expect(b.expectedAt(clock.now()) - clock.now()).toBe(20_000)
    expect([...first.failures, ...second.failures]).toEqual([])
  })

  it('a wait goes to the ledger under the site, and comes back with its next lease alone', async () => {
    const { open, turns, lease } = await agent('domain')
    const www = await open('www.example.org')
    www.wait(clock.now() + 3_600_000, 'it asked for it')
    turns.close(www)
    await ledger.endAllLeases()
    const next = await agent('domain')
    const again = await next.open('www.example.org')
    const mate = await next.open('example.org')
    expect(again.waitUntil - clock.now()).toBe(3_600_000)
    clock.advance(1_000)
    expect(mate.turnNow(SECOND)).toBe(true)
    expect(lease).toBeDefined()
  })

  it('a visit takes the turn of a site that is not leased, and releases it', async () => {
    const [first, second] = [await agent('domain'), await agent('domain')]
    const pace = (await first.turns.borrow('robots.example.org')) as SitePace
    expect(await second.turns.borrow('www.example.org')).toBeNull()
    pace.turnNow(SECOND)
    pace.done(SECOND, SECOND)
    first.turns.close(pace)
    const other = (await second.turns.borrow('www.example.org')) as SitePace
    expect(other.turnNow(SECOND)).toBe(false)
    clock.advance(1_000)
    expect(other.turnNow(SECOND)).toBe(true)
  })

  it('a visit to a leased group waits in the same line and leaves the turn to the lease', async () => {
    const [first, second] = [await agent('domain'), await agent('domain')]
    const leased = await first.open('www.example.org')
    const pace = (await first.turns.borrow('robots.example.org')) as SitePace
    leased.turnNow(SECOND)
    expect(pace.turnNow(SECOND)).toBe(false)
    first.turns.close(pace)
    expect(await second.turns.borrow('example.org')).toBeNull()
  })

  it('stopping ends every wait', async () => {
    const { open, stopping } = await agent('domain')
    const [a, b] = [await open('a.example.org'), await open('b.example.org')]
    a.turnNow(SECOND)
    const waiting = b.turn(SECOND)
    stopping.abort()
    expect(await waiting).toBe(false)
    expect(clock.pending).toBe(0)
  })

  it('cells of a split site share its pause and its waits, whichever of them met them', async () => {
    const { turns, incarnation } = await agent('domain')
    const cells = ['example.org##/m', 'example.org#/m#']
    const row = { url: 'http://example.org/', depth: 0, hops: 0, score: 0, via: '' }
    await ledger.append(cells.map(cell => ({ cell, group: 'example.org', rows: [row] })))
    const leases = await ledger.grant(incarnation, cells, LEASE_MS, 1_000)
    const [left, right] = (await Promise.all(leases.map(lease => turns.open(lease)))) as SitePace[]
    const slow = { ownMs: 5_000, groupMs: 1_000 }
    expect(left.turnNow(slow)).toBe(true)
    left.done(slow, slow)
    clock.advance(1_500)
    expect(right.turnNow(SECOND)).toBe(false)
    left.wait(clock.now() + 60_000, 'Retry-After')
    expect(right.waitUntil).toBe(clock.now() + 60_000)
  })

  it('what a cell of a split site waited for counts for one that was leased before and is opened when the first is given back', async () => {
    const { turns, incarnation } = await agent('domain')
    const cells = ['example.org##/m', 'example.org#/m#']
    const row = { url: 'http://example.org/', depth: 0, hops: 0, score: 0, via: '' }
    await ledger.append(cells.map(cell => ({ cell, group: 'example.org', rows: [row] })))
    const [before, after] = await ledger.grant(incarnation, cells, LEASE_MS, 1_000)
    const slow = { ownMs: 5_000, groupMs: 1_000 }
    const first = (await turns.open(before)) as SitePace
    expect(first.turnNow(slow)).toBe(true)
    first.done(slow, slow)
    turns.close(first)
    clock.advance(1_500)
    const second = (await turns.open(after)) as SitePace
    expect(second.turnNow(slow)).toBe(false)
    clock.advance(4_000)
    expect(await second.turn(slow)).toBe(true)
  })

  it('a cell is not given back while a hop has its turn, and no hop begins while it is', async () => {
    const { turns, open } = await agent('domain')
    const leased = await open('www.example.org')
    const hop = (await turns.borrow('robots.example.org')) as SitePace
    expect(turns.mayLeave(leased)).toBe(false)
    turns.close(hop)
    expect(turns.mayLeave(leased)).toBe(true)
    expect(await turns.borrow('robots.example.org')).toBeNull()
    turns.stays(leased)
    expect(await turns.borrow('robots.example.org')).not.toBeNull()
  })

  it('a turn is taken again only after our release of it has arrived, however late that is', async () => {
    const { turns } = await agent('domain')
    const other = await ledger.join('other')
    const hop = (await turns.borrow('robots.example.org')) as SitePace
    const arrivals: (() => void)[] = []
    const releases: Promise<void>[] = []
    const { releaseTurn } = ledger
    ledger.releaseTurn = (...args) => {
      const arrival = new Promise<void>(resolve => arrivals.push(resolve))
      const release = arrival.then(() => releaseTurn.apply(ledger, args))
      releases.push(release)
      return release
    }
    turns.close(hop)
    const again = turns.borrow('robots.example.org')
    await new Promise(resolve => setImmediate(resolve))
    for (const arrive of arrivals) arrive()
    expect(await again).not.toBeNull()
    await Promise.all(releases)
    expect(await ledger.takeTurn(other, 'example.org', LEASE_MS, 1_000)).toBeNull()
  })

  it('a turn that a hop took is given back also when a site whose lease was lost leaves last', async () => {
    const { turns, open, incarnation } = await agent('domain')
    const leased = await open('www.example.org')
    // Its lease ends, and the ledger frees the turn; the hop takes it by name.
    await ledger.release('www.example.org', 1, 'head')
    const hop = (await turns.borrow('robots.example.org')) as SitePace
    turns.close(hop)
    turns.close(leased)
    const other = await ledger.join('other')
    // Calls are carried out in the order they are made: once this one is answered, so is the release.
    await ledger.releaseTurn(incarnation, 'elsewhere', 0)
    expect(await ledger.takeTurn(other, 'example.org', LEASE_MS, 1_000)).not.toBeNull()
  })
})
