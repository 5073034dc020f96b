/**
 * A whole agent, a server on loopback and a ledger: what becomes of a cell that is meant for another agent
 * now.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { serverSaying } from '../../../../test/kit/fetching.js'
import { loneAgent } from '../../../../test/kit/lone-agent.js'
import type { RawServer } from '../../../../test/kit/raw-server.js'
import { type Bus, LocalBus } from '../../../bus/index.js'
import { systemClock as clock } from '../../../compose/index.js'
import type { Incarnation, Ledger } from '../../../ledger/index.js'
import { openMemoryLedger } from '../../../ledger/memory/index.js'
import type { AssembledAgent } from '../index.js'

const LEASE_MS = 6_000
const DELAY_MS = 300
const PAGE = '<a href="/slow">x</a>'

describe('a cell that is to move', { timeout: 60_000 }, () => {
  let server: RawServer
  let ledger: Ledger
  let incarnation: Incarnation
  let coordinator: Bus
  let assembled: AssembledAgent
  let ended: Promise<unknown>
  let cell: string

  beforeEach(async () => {
    server = await serverSaying((socket, request) => {
      if (request.startsWith('GET /slow')) return
      const [status, body] = request.startsWith('GET / ') ? ['200 OK', PAGE] : ['404 Not Found', '']
      socket.write(
        `HTTP/1.1 ${status}\r\nContent-Type: text/html\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      )
    })
    ledger = openMemoryLedger(() => clock.now())
    cell = `127.0.0.1:${server.port}`
    const url = `${server.origin}/`
    await ledger.append([{ cell, group: cell, rows: [{ url, depth: 0, hops: 0, score: 1, via: '' }] }])
    incarnation = await ledger.join('agent-1', 2)
    const bus = new LocalBus()
    coordinator = bus.join()
    assembled = loneAgent({ url, bus: bus.join(), ledger, incarnation, leaseMs: LEASE_MS, delayMs: DELAY_MS })
    ended = assembled.agent.run()
    await ledger.grant(incarnation, [cell], LEASE_MS, DELAY_MS)
    coordinator.send({ kind: 'leases', to: incarnation, waiting: 0 })
    // The first page came, and the second is asked for and never comes.
    await until(async () => server.requests.some(request => request.startsWith('GET /slow')))
  })

  afterEach(async () => {
    assembled.agent.stop()
    await ended
    await assembled.store.close()
  })

  const until = async (holds: () => Promise<boolean>) => {
    while (!(await holds())) await new Promise(resolve => setTimeout(resolve, 10))
  }
  const isLeased = async () => (await ledger.leases(incarnation, 0)).length > 0
  const ask = (force: boolean) => coordinator.send({ kind: 'move', to: incarnation, cells: [cell], force })

  it('is kept while its request is under way, and by force goes without it: what came before is committed, the rest stays queued', async () => {
    ask(false)
    await until(async () => assembled.agent.sites.get(cell)?.mode.is === 'leaving')
    expect(await isLeased()).toBe(true)
    expect(assembled.counters.forcedCells).toBe(0)
    const forcedAt = clock.now()
    ask(true)
    await until(async () => !(await isLeased()))
    // The request is off the wire, not only forgotten.
    await until(async () => server.sockets.every(({ destroyed }) => destroyed))
    expect(assembled.counters.forcedCells).toBe(1)
    expect(await ledger.totals()).toMatchObject({ pages: 1, discovered: 2, settled: 1 })
    // Who has it next waits from the end of that request on.
    const other = await ledger.join('agent-2', 2)
    const [lease] = await ledger.grant(other, [cell], LEASE_MS, DELAY_MS)
    expect(Math.max(lease.notBefore, lease.turnFrom)).toBeGreaterThanOrEqual(forcedAt + DELAY_MS)
  })

  it('that comes by itself is not counted as forced, however it was asked for', async () => {
    server.sockets.at(-1)!.write('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n')
    await until(async () => (assembled.agent.sites.get(cell)?.inFlight ?? 0) === 0)
    ask(true)
    await until(async () => !(await isLeased()))
    expect(assembled.counters.forcedCells).toBe(0)
  })

  it('that was released by force is not opened again while the ledger has not heard of the release', async () => {
    const { saveOrigin, release, heartbeat } = ledger
    const second = `localhost:${server.port}`
    const hold = new Semaphore()
    const releasing = new Semaphore()
    let beats = 0
    // The lane waits for the ledger when the cell is taken away.
    ledger.saveOrigin = (...args) => hold.pass(() => saveOrigin.apply(ledger, args))
    ledger.release = (...args) => releasing.pass(() => release.apply(ledger, args))
    ledger.heartbeat = async (...args) => {
      const beat = await heartbeat.apply(ledger, args)
      beats++
      return beat
    }
    const row = { url: `http://${second}/`, depth: 0, hops: 0, score: 1, via: '' }
    await ledger.append([{ cell: second, group: second, rows: [row] }])
    await ledger.grant(incarnation, [second], LEASE_MS, DELAY_MS)
    coordinator.send({ kind: 'leases', to: incarnation, waiting: 0 })
    await until(async () => hold.isReached)
    const askBack = () => coordinator.send({ kind: 'move', to: incarnation, cells: [second], force: true })
    askBack()
    askBack()
    await until(async () => releasing.isReached)
    const [asked, heard] = [server.requests.length, beats]
    hold.open()
    await until(async () => beats >= heard + 2)
    const held = (await ledger.leases(incarnation, 0)).map(lease => lease.cell)
    const requests = server.requests.length
    releasing.open()
    expect(held).toContain(second)
    expect(requests).toBe(asked)
  })
})

/** Keeps calls to the ledger on their way until it is opened. */
class Semaphore {
  isReached = false
  open = () => {}
  readonly #opened = new Promise<void>(resolve => {
    this.open = resolve
  })

  async pass<T>(call: () => Promise<T>): Promise<T> {
    this.isReached = true
    await this.#opened
    return call()
  }
}
