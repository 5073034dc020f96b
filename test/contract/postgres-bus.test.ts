/** The bus between machines: what one says the others hear, as far as it goes. */
import { Client } from 'pg'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { type BusMessage, PostgresBus } from '../../src/bus/index.js'
import { payloadsOf } from '../../src/bus/postgres-bus.js'
import { PeerProbe } from '../../src/cluster/agent/heartbeat/index.js'
import { systemClock as clock } from '../../src/compose/index.js'
import { type Clock, SeededRandom } from '../../src/model/index.js'
import { type PostgresPlace, readPostgresUrl } from '../../src/model/url/index.js'
import { testDatabase } from '../kit/postgres.js'

const PATIENCE = { timeout: 30_000, interval: 50 }

let database: Awaited<ReturnType<typeof testDatabase>>
let place: PostgresPlace
beforeAll(async () => {
  database = await testDatabase()
  place = readPostgresUrl(database.url) as PostgresPlace
})
afterAll(() => database.remove())

function join(seed: number, crawl = 'bus'): { bus: PostgresBus; heard: BusMessage[] } {
  const bus = new PostgresBus({ place, crawl, clock, random: new SeededRandom(seed) })
  const heard: BusMessage[] = []
  bus.subscribe(message => heard.push(message))
  return { bus, heard }
}

it('tells everybody else of the same crawl, and finds its way back when the connection is cut', async () => {
  const [a, b, stranger] = [join(1), join(2), join(3, 'another')]
  const tells = (word: BusMessage) =>
    vi.waitFor(() => {
      a.bus.send(word)
      expect(b.heard).toContainEqual(word)
    }, PATIENCE)
  await tells({ kind: 'leases', to: 7, waiting: 3 })
  const client = new Client({ connectionString: database.url })
  await client.connect()
  await client.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'orbweaver'`,
  )
  await client.end()
  await tells({ kind: 'inbox', cells: ['a.test'] })
  expect(a.heard).toEqual([])
  expect(stranger.heard).toEqual([])
  for (const { bus } of [a, b, stranger]) await bus.close()
})

it('leaves no timer behind that would keep the process alive after it was closed', async () => {
  const pending = new Set<symbol>()
  const counted: Clock = {
    ...clock,
    after(delayMs, task) {
      const timer = Symbol(String(delayMs))
      pending.add(timer)
      const cancel = clock.after(delayMs, () => {
        pending.delete(timer)
        task()
      })
      return () => {
        pending.delete(timer)
        cancel()
      }
    },
  }
  const connected = new PostgresBus({ place, crawl: 'bus', clock: counted, random: new SeededRandom(1) })
  const other = join(2)
  await vi.waitFor(() => {
    connected.send({ kind: 'leases', to: 1, waiting: 1 })
    expect(other.heard).not.toEqual([])
  }, PATIENCE)
  await connected.close()
  await other.bus.close()
  const nowhere = { ...place, hosts: [{ host: '127.0.0.1', port: 1 }] }
  const lost = new PostgresBus({ place: nowhere, crawl: 'bus', clock: counted, random: new SeededRandom(3) })
  await vi.waitFor(() => expect(pending.size).toBe(1), PATIENCE)
  await lost.close()
  expect(pending.size).toBe(0)
})

it('says what was said last before it goes', async () => {
  const [a, b] = [join(1), join(2)]
  await vi.waitFor(() => {
    a.bus.send({ kind: 'inbox', cells: ['ready.test'] })
    expect(b.heard).not.toEqual([])
  }, PATIENCE)
  a.bus.send({ kind: 'ended' })
  await a.bus.close()
  await vi.waitFor(() => expect(b.heard).toContainEqual({ kind: 'ended' }), PATIENCE)
  await b.bus.close()
})

it('carries what distances are measured with, and says how long it has held it back', async () => {
  const [a, b] = [join(1), join(2)]
  const [near, far] = [new PeerProbe(clock, a.bus, 1), new PeerProbe(clock, b.bus, 2)]
  b.bus.subscribe(message => far.receive(message))
  const pings = () => b.heard.flatMap(message => (message.kind === 'ping' ? [message] : []))
  await vi.waitFor(() => {
    a.bus.send({ kind: 'inbox', cells: ['ready.test'] })
    expect(b.heard).not.toEqual([])
  }, PATIENCE)
  near.look()
  await vi.waitFor(() => expect(pings()).toHaveLength(2), PATIENCE)
  for (const { heldMs } of pings()) expect(heldMs).toBeGreaterThan(0)
  const pongs = () => a.heard.flatMap(message => (message.kind === 'pong' ? [message] : []))
  await vi.waitFor(() => expect(pongs()).toHaveLength(2), PATIENCE)
  expect(pongs().map(({ bytes }) => bytes > 0)).toEqual([false, true])
  for (const [i, { heldMs }] of pongs().entries()) expect(heldMs).toBeGreaterThan(pings()[i].heldMs)
  for (const { bus } of [a, b]) await bus.close()
})

it('sends many cells in as few payloads as PostgreSQL takes, each once', () => {
  const cells = Array.from({ length: 1_000 }, (_, i) => `site-${i}.example.org`)
  const messages: BusMessage[] = [{ kind: 'ended' }, { kind: 'inbox', cells }, { kind: 'inbox', cells }]
  const payloads = payloadsOf('me', messages)
  for (const payload of payloads) expect(Buffer.byteLength(payload)).toBeLessThan(8_000)
  const said = payloads.flatMap(payload => (JSON.parse(payload) as { messages: BusMessage[] }).messages)
  expect(said.filter(({ kind }) => kind === 'ended')).toHaveLength(1)
  expect(said.flatMap(message => (message.kind === 'inbox' ? message.cells : []))).toEqual(cells)
  const tooLong: BusMessage = { kind: 'turn-request', groups: ['x'.repeat(9_000)] }
  expect(payloadsOf('me', [tooLong])).toEqual([])
})
