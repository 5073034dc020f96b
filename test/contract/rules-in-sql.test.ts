/**
 * Decisions that a backend makes inside a statement, against the functions of `ledger/rules/`: each case
 * writes an enumerated set of states into a real ledger, makes the call, and compares its answer with the
 * function's.
 */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'libsql'
import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { systemClock as clock } from '../../src/compose/index.js'
import { CELL_STATES, type Ledger } from '../../src/ledger/index.js'
import { openPostgresLedger, schemaOf } from '../../src/ledger/postgres/index.js'
import {
  debited,
  gapAfter,
  hasExpired,
  isHeldUnder,
  isOffered,
  isRenewable,
  isSilent,
  mayBeGranted,
  mayFinish,
} from '../../src/ledger/rules/index.js'
import { openSqliteLedger } from '../../src/ledger/sqlite/index.js'
import { type PostgresPlace, readPostgresUrl } from '../../src/model/url/index.js'
import { testDatabase } from '../kit/postgres.js'

const NOW = 1_000_000
const LEASE_MS = 100
/** Later than anything these tests look at. */
const LATER = NOW + 1_000_000
const LAST_HEARTBEATS = [0, NOW - 101, NOW - 100, NOW - 50, NOW - 1, NOW]
const GAPS = [0, NOW - 1, NOW, NOW + 1]

interface Opened {
  readonly ledger: Ledger
  /** A statement of SQL past the ledger. */
  readonly sql: (text: string) => Promise<readonly (readonly unknown[])[]>
  readonly close: () => Promise<void>
}

let postgres: Awaited<ReturnType<typeof testDatabase>>
let count = 0
beforeAll(async () => {
  postgres = await testDatabase()
})
afterAll(() => postgres.remove())

async function onSqlite(): Promise<Opened> {
  const path = join(mkdtempSync(join(tmpdir(), 'orb-rules-')), 'ledger.db')
  const ledger = openSqliteLedger(path, { create: true, now: () => NOW })
  const db = new Database(path)
  const sql = async (text: string) => {
    if (!text.startsWith('SELECT')) {
      db.exec(text)
      return []
    }
    return db.prepare(text).raw().all() as unknown[][]
  }
  const close = async () => {
    await ledger.close()
    db.close()
  }
  return { ledger, sql, close }
}

async function onPostgres(): Promise<Opened> {
  const crawl = `rules ${++count}`
  const place = readPostgresUrl(postgres.url) as PostgresPlace
  const timeSql = () => `${NOW}::bigint`
  const ledger = await openPostgresLedger({ place, crawl, create: true, clock, timeSql })
  const client = new Client({ connectionString: postgres.url })
  await client.connect()
  await client.query(`SET search_path = "${schemaOf(crawl)}"`)
  const sql = async (text: string) => (await client.query<unknown[]>({ text, rowMode: 'array' })).rows
  const close = async () => {
    await ledger.close()
    await client.end()
  }
  return { ledger, sql, close }
}

const nameOf = (i: number) => `c${String(i).padStart(4, '0')}.test`

describe.each([
  ['SQLite', onSqlite],
  ['PostgreSQL', onPostgres],
])('%s decides as the rules do', (_, open) => {
  let opened: Opened
  let ledger: Ledger
  let sql: Opened['sql']
  let me: number
  beforeEach(async () => {
    opened = await open()
    ;({ ledger, sql } = opened)
    me = await ledger.join('me')
  })
  afterEach(() => opened.close())

  /** One cell for each state, with these columns. */
  async function write<T>(states: readonly T[], columns: (state: T) => string): Promise<void> {
    const rows = [{ url: 'http://x.test/', depth: 0, hops: 0, score: 0, via: '' }]
    await ledger.append(states.map((_, i) => ({ cell: nameOf(i), group: nameOf(i), rows })))
    for (const [i, state] of states.entries())
      await sql(`UPDATE cell SET ${columns(state)} WHERE cell = '${nameOf(i)}'`)
  }

  const held = CELL_STATES.flatMap(state =>
    [1, 2, 3].flatMap(named => [4, 5].map(consumed => ({ state, epoch: 2, named, appended: 5, consumed }))),
  )
  const writeHeld = () =>
    write(
      held,
      ({ state, epoch, appended, consumed }) =>
        `state = '${state}', epoch = ${epoch}, appended = ${appended}, consumed = ${consumed}, agent = ${me}`,
    )

  it('finish', async () => {
    await writeHeld()
    for (const [i, cell] of held.entries())
      expect(await ledger.finish(nameOf(i), cell.named), JSON.stringify(cell)).toBe(
        mayFinish(cell, cell.named),
      )
  })

  it.each(['release', 'park', 'rest'] as const)('fencing of %s', async call => {
    await writeHeld()
    const calls = {
      release: (name: string, epoch: number) => ledger.release(name, epoch, 'tail'),
      park: (name: string, epoch: number) => ledger.park(name, epoch, LATER, 'why'),
      rest: (name: string, epoch: number) => ledger.rest(name, epoch, LATER),
    }
    for (const [i, cell] of held.entries()) {
      const { state, epoch, named } = cell
      const answer = await calls[call](nameOf(i), named)
      expect(answer, JSON.stringify(cell)).toBe(isHeldUnder(state, epoch, named))
    }
  })

  it('lease expiry', async () => {
    const ends = [NOW - 101, NOW - 100, NOW - 50, NOW - 1, NOW, NOW + 1]
    await write(ends, () => `agent = ${me}`)
    for (const lastHeartbeat of LAST_HEARTBEATS) {
      for (const gapUntil of GAPS) {
        for (const [i, end] of ends.entries())
          await sql(`UPDATE cell SET state = 'leased', lease_until = ${end} WHERE cell = '${nameOf(i)}'`)
        await sql(`UPDATE crawl SET last_heartbeat = ${lastHeartbeat}, gap_until = ${gapUntil}`)
        const waiting = (await ledger.waiting(100)).map(({ cell }) => cell).sort()
        const heard = { lastHeartbeat, gapUntil }
        const expected = ends.flatMap((end, i) => (hasExpired(end, NOW, heard) ? [nameOf(i)] : []))
        expect(waiting, JSON.stringify(heard)).toEqual(expected)
      }
    }
  })

  it('silence of incarnations', async () => {
    for (const heartbeatAt of [NOW - 150, NOW - 101, NOW - 100, NOW - 99, NOW]) {
      for (const lastHeartbeat of LAST_HEARTBEATS) {
        for (const gapUntil of GAPS) {
          await sql(`UPDATE agent SET open = 1, heartbeat_at = ${heartbeatAt}`)
          await sql(`UPDATE crawl SET last_heartbeat = ${lastHeartbeat}, gap_until = ${gapUntil}`)
          const state = { heartbeatAt, lastHeartbeat, gapUntil }
          const expected = isSilent(heartbeatAt, 100, NOW, state) ? [me] : []
          expect(await ledger.closeSilent(100), JSON.stringify(state)).toEqual(expected)
        }
      }
    }
  })

  it('the gap after a heartbeat', async () => {
    for (const lastHeartbeat of LAST_HEARTBEATS) {
      for (const gapUntil of GAPS) {
        await sql(`UPDATE crawl SET last_heartbeat = ${lastHeartbeat}, gap_until = ${gapUntil}`)
        await ledger.heartbeat(me, LEASE_MS, '{}')
        const [[stored]] = await sql('SELECT gap_until FROM crawl')
        const heard = { lastHeartbeat, gapUntil }
        expect(Number(stored), JSON.stringify(heard)).toBe(gapAfter(heard, NOW, LEASE_MS))
      }
    }
  })

  it('renewal', async () => {
    const states = [NOW - 1, NOW, NOW + 1].flatMap(end => [true, false].map(isMine => ({ end, isMine })))
    await write(states, ({ end }) => `state = 'leased', epoch = 1, agent = ${me}, lease_until = ${end}`)
    const other = await ledger.join('other')
    for (const [i, { isMine }] of states.entries())
      await ledger.takeTurn(isMine ? me : other, nameOf(i), LEASE_MS, 0)
    const renewed = (await ledger.heartbeat(me, LEASE_MS, '{}')).held.map(({ cell }) => cell).sort()
    const expected = states.flatMap(({ end, isMine }, i) =>
      isRenewable(end, NOW, isMine) ? [nameOf(i)] : [],
    )
    expect(renewed).toEqual(expected)
  })

  it('what is offered', async () => {
    const other = await ledger.join('other')
    const states = CELL_STATES.flatMap(state => [null, me, other].map(holder => ({ state, holder })))
    await write(states, ({ state }) => `state = '${state}', rank = ${LATER}, lease_until = ${LATER}`)
    for (const [i, { holder }] of states.entries())
      if (holder !== null) await ledger.takeTurn(holder, nameOf(i), LEASE_MS, 0)
    for (const eligible of [undefined, [], [me], [other], [me, other]]) {
      const offered = (await ledger.waiting(100, eligible)).map(({ cell }) => cell).sort()
      const set = eligible === undefined ? null : new Set<number>(eligible)
      const expected = states.flatMap(({ state, holder }, i) =>
        isOffered(state, holder, set) ? [nameOf(i)] : [],
      )
      expect(offered, JSON.stringify(eligible)).toEqual(expected)
    }
  })

  it('what is granted', async () => {
    await write(CELL_STATES, () => 'epoch = 0')
    for (const crawlOpen of [true, false]) {
      for (const isOpen of [true, false]) {
        for (const [i, state] of CELL_STATES.entries())
          await sql(`UPDATE cell SET state = '${state}', agent = NULL WHERE cell = '${nameOf(i)}'`)
        await sql(`UPDATE crawl SET state = '${crawlOpen ? 'open' : 'closed'}'`)
        await sql(`UPDATE agent SET open = ${isOpen ? 1 : 0}`)
        const leases = await ledger.grant(
          me,
          CELL_STATES.map((_, i) => nameOf(i)),
          LEASE_MS,
          0,
        )
        const expected = CELL_STATES.flatMap((state, i) =>
          mayBeGranted(state, crawlOpen, isOpen) ? [nameOf(i)] : [],
        )
        expect(leases.map(({ cell }) => cell)).toEqual(expected)
      }
    }
  })

  it('the debit of a page budget', async () => {
    await write([0], () => `state = 'leased', epoch = 1, agent = ${me}`)
    let number = 0
    for (const budget of [0, 1, 2, 5]) {
      for (const pages of [0, 1, 2, 3]) {
        await sql(`UPDATE agent SET budget = ${budget}`)
        const none = { consumed: 0, cursor: 0, discovered: 0, settled: 0, bytes: 0, fetchMs: 0 }
        const times = { firstFetch: 0, lastFetch: 0 }
        const cell = { cell: nameOf(0), epoch: 1, number: ++number, journal: new Uint8Array([1]), pages }
        const answer = await ledger.commit({
          id: `p${number}`,
          incarnation: me,
          cells: [{ ...cell, ...none, ...times, outcomes: [] }],
          appends: [],
          files: [],
          fetches: 0,
          lanes: [],
          received: { links: 0, pages: new Uint8Array(0), sites: new Uint8Array(0) },
          waits: [],
        })
        expect(answer).toEqual({ status: 'committed' })
        const [[left]] = await sql('SELECT budget FROM agent')
        expect(Number(left), `${budget} - ${pages}`).toBe(debited(budget, pages))
      }
    }
  })
})
