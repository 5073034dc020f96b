/** Packs over a real connection into a real store: cut, sent again, refused, taken back. */
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { hostname } from 'node:os'
import { afterEach, describe, expect, it } from 'vitest'
import { inDirectory, sampleExchange, sampleRow } from '../../../test/kit/store-samples.js'
import { TcpProxy } from '../../../test/kit/tcp-proxy.js'
import { systemClock } from '../../compose/index.js'
import { DirectoryPackStore, locateFile, PackBuilder, type PackBytes } from '../../data/store/index.js'
import { warcRecords } from '../../data/store/warc/index.js'
import type { Incarnation, Ledger, SeatStatus } from '../../ledger/index.js'
import { openMemoryLedger } from '../../ledger/memory/index.js'
import { type Cancel, type Clock, LIMITS, type Millis, SeededRandom } from '../../model/index.js'
import { RoutingTable } from '../../plan/assign/learned/index.js'
import { channelTo } from './channel.js'
import { routingOver } from './journals.js'
import { PackServer } from './pack-server.js'
import { RemotePackStore } from './remote-pack-store.js'

const TOKEN = 'known-to-the-ledger-only'
const LEASE_MS = 30_000
const TABLE = RoutingTable.of(2, [{ site: 'a.test', part: 1 }]).encode()
const records = warcRecords({ codec: 'gzip', level: 1 }, new SeededRandom(2))

/** About `kilobytes` that do not compress. */
function packOf(id: string, kilobytes: number): PackBytes {
  const builder = new PackBuilder({ agent: 'elsewhere:1', records, tables: true })
  const random = new SeededRandom(id.length)
  for (let i = 0; i < kilobytes; i += 64) {
    const url = `http://example.org/${id}/${i}`
    const rawBody = Buffer.from(Array.from({ length: 64 * 1024 }, () => Math.floor(random.next() * 256)))
    builder.add({
      leaseKey: 'example.org',
      row: sampleRow({ url }),
      exchange: sampleExchange({ url, rawBody }),
    })
  }
  return builder.toPack(id)
}

/** Stands still but for what is passed, so that nobody waits for a deadline. */
class IdleClock implements Clock {
  readonly grainMs = 0
  readonly now = systemClock.now
  readonly soon = systemClock.soon
  readonly #timers = new Set<{ readonly at: Millis; readonly task: () => void }>()
  #at: Millis = 0

  monotonic(): Millis {
    return this.#at
  }

  after(delayMs: Millis, task: () => void): Cancel {
    const timer = { at: this.#at + delayMs, task }
    this.#timers.add(timer)
    return () => void this.#timers.delete(timer)
  }

  pass(ms: Millis): void {
    this.#at += ms
    for (const timer of this.#timers) {
      if (timer.at > this.#at) continue
      this.#timers.delete(timer)
      timer.task()
    }
  }
}

describe('a pack on its way to the coordinator', () => {
  const open: { close(): unknown }[] = []
  afterEach(async () => {
    for (const one of open.splice(0).reverse()) await one.close()
  })

  interface Scene {
    readonly ledger: Ledger
    readonly server: PackServer
    readonly agent: RemotePackStore
    readonly incarnation: Incarnation
    readonly clock: IdleClock
    readonly channel: ReturnType<typeof channelTo>
    isSeated: boolean
    /** Says where the coordinator is now. */
    moveTo(seat: number, port: number): Promise<void>
  }

  async function scene(directory: string, { token = TOKEN, seat = 1 } = {}): Promise<Scene> {
    const ledger = openMemoryLedger(systemClock.now)
    const scene = { isSeated: true }
    const clock = new IdleClock()
    const server = await serve(directory, ledger, seat, () => scene.isSeated, clock)
    const moveTo = async (seat: number, port: number) => {
      const incarnation = await ledger.join('coordinator', 0)
      const status: SeatStatus = { seat, place: { machine: hostname(), host: '127.0.0.1', port } }
      await ledger.heartbeat(incarnation, LEASE_MS, JSON.stringify(status))
    }
    await moveTo(seat, server.port)
    const channel = channelTo(ledger, token)
    open.push(channel)
    const incarnation = await ledger.join('elsewhere:1')
    const agent = new RemotePackStore({ incarnation, channel, clock: systemClock })
    return Object.assign(scene, { ledger, server, agent, incarnation, clock, channel, moveTo })
  }

  async function serve(
    directory: string,
    ledger: Ledger,
    seat: number,
    isSeated = () => true,
    clock: Clock = systemClock,
  ) {
    const server = await PackServer.listen({
      ledger,
      clock,
      token: TOKEN,
      listen: { host: '127.0.0.1', port: 0 },
      isSeated,
      openStore: incarnation =>
        new DirectoryPackStore({
          directory,
          owner: { crawl: 'crawl', incarnation },
          clock: systemClock,
          records,
          info: {},
          firstNumber: seat * 100_000,
        }),
      routing: () => TABLE,
      onProblem: problem => expect(problem).toBe(''),
    })
    open.push(server)
    return server
  }

  const warcIn = (directory: string, files: readonly { readonly kind: string; readonly name: string }[]) =>
    readFileSync(locateFile(directory, files.find(({ kind }) => kind === 'warc')!.name)!)

  it('is stored as its agent would have stored it, one after the other, and closed', () =>
    inDirectory(async directory => {
      const { agent } = await scene(directory)
      const first = packOf('a', 64)
      const stored = await agent.append(first)
      const again = await agent.append(packOf('bb', 64))
      expect(stored.ok && again.ok).toBe(true)
      if (!stored.ok || !again.ok) return
      expect(warcIn(directory, again.files).includes(first.warc)).toBe(true)
      expect(again.files.map(({ kind }) => kind).sort()).toEqual(['cdxj-log', 'pages-log', 'warc'])
      expect(again.files.find(({ kind }) => kind === 'warc')!.bytes).toBe(
        warcIn(directory, again.files).length,
      )
      expect((await agent.close()).problems).toEqual([])
      const names = again.files.map(({ name }) => locateFile(directory, name))
      for (const name of names) expect(name).not.toMatch(/\.open$/)
    }))

  it('goes on where it stopped when the connection is cut, and is stored once', () =>
    inDirectory(async directory => {
      const { agent, server, moveTo } = await scene(directory)
      const proxy = await TcpProxy.listen('127.0.0.1', server.port)
      open.push(proxy)
      const pack = packOf('cut', 4 * 1024)
      const middle = pack.warc.subarray(2_000_000, 2_000_016).toString('latin1')
      await moveTo(2, proxy.port)
      proxy.cutNext({ at: middle, loses: 'request' })
      const stored = await agent.append(pack)
      expect(proxy.cuts).toBe(1)
      expect(stored.ok && warcIn(directory, stored.files).includes(pack.warc)).toBe(true)
      // Not all of it a second time.
      expect(proxy.bytesUp).toBeLessThan(1.7 * pack.warc.length)
    }))

  it('whose answer is lost is not stored a second time', () =>
    inDirectory(async directory => {
      const { agent, server, moveTo } = await scene(directory)
      const proxy = await TcpProxy.listen('127.0.0.1', server.port)
      open.push(proxy)
      await moveTo(2, proxy.port)
      const pack = packOf('lost', 64)
      proxy.cutNext({ at: 'PUT /packs', loses: 'answer' })
      const stored = await agent.append(pack)
      expect(proxy.cuts).toBe(1)
      if (!stored.ok) throw new Error(stored.detail)
      const bytes = warcIn(directory, stored.files)
      expect(bytes.length).toBe(stored.files.find(({ kind }) => kind === 'warc')!.bytes)
      expect(bytes.indexOf(pack.warc)).toBe(bytes.lastIndexOf(pack.warc))
      // It was asked for, not sent again.
      expect(proxy.bytesUp).toBeLessThan(1.7 * pack.warc.length)
    }))

  it('that the ledger refused is taken back before the next is stored', () =>
    inDirectory(async directory => {
      const { agent } = await scene(directory)
      const kept = packOf('kept', 64)
      await agent.append(kept)
      const stale = packOf('stale', 64)
      await agent.append(stale)
      await agent.undo()
      const next = packOf('after', 64)
      const stored = await agent.append(next)
      if (!stored.ok) throw new Error(stored.detail)
      const bytes = warcIn(directory, stored.files)
      expect(bytes.includes(kept.warc) && bytes.includes(next.warc)).toBe(true)
      expect(bytes.includes(stale.warc)).toBe(false)
    }))

  it('finds the next coordinator, who writes to files of its own', () =>
    inDirectory(async directory => {
      const { agent, server, ledger, moveTo } = await scene(directory)
      const before = await agent.append(packOf('one', 64))
      await server.close()
      const next = await serve(directory, ledger, 2)
      await moveTo(2, next.port)
      const moved = await agent.append(packOf('other', 64))
      if (!before.ok || !moved.ok) throw new Error('not stored')
      const names = new Set([...before.files, ...moved.files].map(({ name }) => name))
      expect(names.size).toBe(before.files.length + moved.files.length)
    }))

  it('waits when nobody is there, when the seat is lost, and when the token is wrong: nothing is stored', () =>
    inDirectory(async directory => {
      const there = await scene(directory, { token: 'a guess' })
      const pack = packOf('x', 64)
      const refusal = { ok: false, code: 'STORE_AWAY' }
      const answers: unknown[] = [there.agent.append(pack)]
      const seated = await scene(directory)
      seated.isSeated = false
      answers.push(seated.agent.append(pack))
      const gone = await scene(directory)
      await gone.server.close()
      answers.push(gone.agent.append(pack))
      const [wrong, unseated, away] = await Promise.all(answers)
      expect(wrong).toMatchObject({ ...refusal, detail: expect.stringContaining('token') })
      expect(unseated).toMatchObject({ ...refusal, detail: expect.stringContaining('seat') })
      expect(away).toMatchObject({ ...refusal, detail: expect.stringContaining('does not answer') })
      expect(JSON.stringify([wrong, unseated, away])).not.toMatch(/guess|known-to/)
      expect([there, seated, gone].map(({ server }) => server.openIncarnations)).toEqual([0, 0, 0])
      // It goes on as soon as there is somebody.
      seated.isSeated = true
      expect((await seated.agent.append(pack)).ok).toBe(true)
    }))

  it('goes with an agent that gets the routing table the other way, whole, and only with the token of the crawl', () =>
    inDirectory(async directory => {
      const { channel, ledger } = await scene(directory)
      expect(await routingOver(channel)).toEqual(TABLE)
      const stranger = channelTo(ledger, 'a guess')
      open.push(stranger)
      expect(await routingOver(stranger)).toBeNull()
    }))

  it('is refused when what arrives is not what was sent, and whoever sends nonsense', () =>
    inDirectory(async directory => {
      const { server } = await scene(directory)
      const put = (path: string, headers: Record<string, string | number>, body = '') =>
        new Promise<string>((resolve, reject) => {
          const options = { host: '127.0.0.1', port: server.port, method: 'PUT', path }
          const asking = request({ ...options, headers: { authorization: `Bearer ${TOKEN}`, ...headers } })
          asking.on('error', reject)
          asking.on('response', response => {
            let text = `${response.statusCode} `
            response.on('data', chunk => (text += chunk)).on('end', () => resolve(text))
          })
          asking.end(body)
        })
      const head = { 'x-orbweaver-offset': 0, 'x-orbweaver-total': 5, 'x-orbweaver-committed': 0 }
      expect(await put('/packs/1/1', { ...head, 'x-orbweaver-digest': '00' }, 'wrong')).toBe(
        '200 {"received":0}',
      )
      expect(await put('/packs/1/1', {})).toBe('400 ')
      expect(await put('/packs/1/1', { ...head, 'x-orbweaver-total': 1e15 }, 'x')).toBe('400 ')
      expect(await put('/elsewhere', {})).toBe('404 ')
      expect(await put('/packs/1/1', { ...head, authorization: 'Bearer ' })).toBe('401 ')
    }))

  /** More than the coordinator holds at a time, of which only a few bytes ever come. */
  const UNFINISHED = 'the beginning'
  async function beginUpload(server: PackServer, incarnation: Incarnation) {
    const headers = {
      authorization: `Bearer ${TOKEN}`,
      'x-orbweaver-offset': 0,
      'x-orbweaver-total': LIMITS.uploadBytes + 1,
      'x-orbweaver-committed': 0,
      'x-orbweaver-digest': '00',
      'content-length': LIMITS.uploadBytes + 1,
    }
    const asking = request({
      host: '127.0.0.1',
      port: server.port,
      method: 'PUT',
      path: `/packs/${incarnation}/1`,
      headers,
    })
    open.push({ close: () => asking.destroy() })
    const ended = new Promise<string>(resolve => {
      asking.on('error', () => resolve('cut'))
      asking.on('response', response => response.on('data', data => resolve(String(data))))
    })
    asking.write(UNFINISHED)
    return ended
  }

  /** How much of the first upload of an incarnation has come, as its agent would ask. */
  async function received(channel: Scene['channel'], incarnation: Incarnation): Promise<unknown> {
    const { body } = await channel.ask({ method: 'GET', path: `/packs/${incarnation}/1` })
    return JSON.parse(String(body))
  }

  it('is not held up by an unfinished one of an incarnation that the ledger does not know, or has closed', () =>
    inDirectory(async directory => {
      const { agent, server, ledger, channel } = await scene(directory)
      const closed = await ledger.join('closed:1')
      await ledger.leave(closed)
      for (const incarnation of [999, closed])
        expect(await beginUpload(server, incarnation)).toContain('no such open incarnation')
      const ended = new RemotePackStore({ incarnation: closed, channel, clock: systemClock })
      const refusal = { ok: false, code: 'STORE_AWAY', detail: 'the ledger has no such open incarnation' }
      expect(await ended.append(packOf('late', 64))).toEqual(refusal)
      expect(server.openIncarnations).toBe(0)
      expect((await agent.append(packOf('a', 64))).ok).toBe(true)
      expect(server.openIncarnations).toBe(1)
    }))

  it('is not held up for longer than a deadline by one that nothing more comes of', () =>
    inDirectory(async directory => {
      const { agent, server, ledger, clock } = await scene(directory)
      const silent = await ledger.join('silent:1')
      const ended = beginUpload(server, silent)
      while (server.heldBytes === 0) await new Promise(resolve => setTimeout(resolve, 5))
      const pack = packOf('a', 64)
      expect(await agent.append(pack)).toMatchObject({ ok: false, code: 'STORE_AWAY' })
      clock.pass(LIMITS.uploadIdleMs)
      expect(await ended).toBe('cut')
      expect(server.heldBytes).toBe(0)
      expect((await agent.append(pack)).ok).toBe(true)
    }))

  it('is dropped by the same deadline after its connection was cut, and not before', () =>
    inDirectory(async directory => {
      const { server, ledger, clock, channel } = await scene(directory)
      const cut = await ledger.join('cut:1')
      const come = { received: UNFINISHED.length }
      // A question cuts the connection that brings the rest, perhaps before anything has come.
      do {
        void beginUpload(server, cut)
        await new Promise(resolve => setTimeout(resolve, 20))
      } while (JSON.stringify(await received(channel, cut)) !== JSON.stringify(come))
      clock.pass(LIMITS.uploadIdleMs - 1)
      expect(await received(channel, cut)).toEqual(come)
      clock.pass(1)
      expect(await received(channel, cut)).toEqual({ received: 0 })
      expect(server.heldBytes).toBe(0)
    }))
})
