/** Connections: kept, counted, given up. */
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import { fetcherWith, ok, serverSaying, signal } from '../../../test/kit/fetching.js'
import { ManualClock } from '../../../test/kit/manual-clock.js'
import { until } from '../../../test/kit/raw-server.js'
import { systemClock } from '../../compose/index.js'
import { CachingResolver } from './dns/index.js'

describe('keep-alive', () => {
  test('consecutive URLs of a site share one connection', async () => {
    const server = await serverSaying(ok('x'))
    const fetcher = fetcherWith()
    for (let i = 0; i < 5; i++) {
      const result = await fetcher.fetch({ url: `${server.origin}/${i}` }, signal)
      if (!result.ok) throw new Error(result.detail)
      if (i === 0) expect(result.exchange.connectMs).toBeGreaterThan(0)
      else expect(result.exchange.connectMs).toBe(0)
    }
    expect(server.connections).toBe(1)
    expect(fetcher.connections).toEqual({ open: 1, idle: 1 })
  })

  test('a connection the server closed in between is replaced without a word', async () => {
    const server = await serverSaying((socket, request, connection) => {
      // The second request on a connection meets a closed door.
      if (request.startsWith('GET /0') || connection > 0) socket.write(ok('x'))
      else socket.resetAndDestroy()
    })
    const fetcher = fetcherWith()
    expect((await fetcher.fetch({ url: `${server.origin}/0` }, signal)).ok).toBe(true)
    expect((await fetcher.fetch({ url: `${server.origin}/1` }, signal)).ok).toBe(true)
    expect(server.requests.length).toBe(3)
    expect(server.connections).toBe(2)
  })

  test('a fresh connection that closes is not tried again', async () => {
    const server = await serverSaying(socket => void socket.end())
    expect(await fetcherWith().fetch({ url: `${server.origin}/` }, signal)).toMatchObject({ code: 'RESET' })
    expect(server.requests.length).toBe(1)
  })

  test('but only once', async () => {
    const server = await serverSaying((socket, request) => {
      if (request.startsWith('GET /0')) socket.write(ok('x'))
      else socket.end()
    })
    const fetcher = fetcherWith()
    await fetcher.fetch({ url: `${server.origin}/0` }, signal)
    expect(await fetcher.fetch({ url: `${server.origin}/1` }, signal)).toMatchObject({ code: 'RESET' })
    expect(server.requests.map(head => head.slice(0, 6))).toEqual(['GET /0', 'GET /1', 'GET /1'])
  })

  test('a response that began is never asked for again', async () => {
    const server = await serverSaying((socket, request) => {
      if (request.startsWith('GET /0')) socket.write(ok('x'))
      else socket.end('HTTP/1.1 2')
    })
    const fetcher = fetcherWith()
    await fetcher.fetch({ url: `${server.origin}/0` }, signal)
    expect(await fetcher.fetch({ url: `${server.origin}/1` }, signal)).toMatchObject({ code: 'RESET' })
    expect(server.requests.length).toBe(2)
  })

  test.each([
    ['Connection: close', ok('x', 'Connection: close\r\n')],
    ['more bytes than promised', `${ok('x')}y`],
  ])('%s: the next request has its own connection', async (_, answer) => {
    const server = await serverSaying(answer)
    const fetcher = fetcherWith()
    for (let i = 1; i <= 3; i++) {
      expect((await fetcher.fetch({ url: `${server.origin}/` }, signal)).ok).toBe(true)
      expect(server.connections).toBe(i)
    }
  })

  test('unasked bytes on an idle connection close it', async () => {
    const server = await serverSaying(ok('x'))
    const fetcher = fetcherWith()
    await fetcher.fetch({ url: `${server.origin}/` }, signal)
    server.sockets[0].write('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil')
    await until(() => fetcher.connections.open === 0)
    expect(await fetcher.fetch({ url: `${server.origin}/` }, signal)).toMatchObject({ ok: true })
    expect(server.connections).toBe(2)
  })

  test('idle connections are closed after a while', async () => {
    const clock = new ManualClock()
    const server = await serverSaying(ok('x'))
    const fetcher = fetcherWith({ clock })
    await fetcher.fetch({ url: `${server.origin}/` }, signal)
    clock.advance(19_999)
    expect(fetcher.connections.open).toBe(1)
    clock.advance(1)
    expect(fetcher.connections.open).toBe(0)
    await once(server.sockets[0], 'close')
  })
})

describe('bounds on connections', () => {
  test('one per site: requests follow each other in their order', async () => {
    const server = await serverSaying(socket => void setTimeout(() => socket.write(ok('x')), 5))
    const fetcher = fetcherWith()
    const order: number[] = []
    await Promise.all(
      [0, 1, 2, 3].map(i =>
        fetcher.fetch({ url: `${server.origin}/${i}` }, signal).then(() => order.push(i)),
      ),
    )
    expect(order).toEqual([0, 1, 2, 3])
    expect(server.connections).toBe(1)
  })

  test('more per site while running, fewer again', async () => {
    const held: Socket[] = []
    const server = await serverSaying(socket => void held.push(socket))
    const fetcher = fetcherWith()
    const all = [0, 1, 2, 3].map(i => fetcher.fetch({ url: `${server.origin}/${i}` }, signal))
    await until(() => held.length === 1)
    fetcher.setConnections(1000, 3)
    await until(() => held.length === 3)
    expect(fetcher.connections.open).toBe(3)
    fetcher.setConnections(1000, 1)
    for (let i = 0; i < 4; i++) {
      await until(() => held.length > i)
      held[i].write(ok('x'))
      await all[i]
    }
    expect(fetcher.connections).toEqual({ open: 1, idle: 1 })
  })

  test('the total holds over many sites, and idle ones make way', async () => {
    const servers = await Promise.all(Array.from({ length: 6 }, () => serverSaying(ok('x'))))
    const fetcher = fetcherWith({ connections: 2 })
    let most = 0
    await Promise.all(
      servers.map(async ({ origin }) => {
        const result = await fetcher.fetch({ url: `${origin}/` }, signal)
        most = Math.max(most, fetcher.connections.open)
        expect(result.ok).toBe(true)
      }),
    )
    expect(most).toBe(2)
    await fetcher.fetch({ url: `${servers[0].origin}/` }, signal)
    expect(fetcher.connections).toEqual({ open: 2, idle: 2 })
  })
})

describe('giving up', () => {
  test('one signal ends those that wait, dial and talk, and no others', async () => {
    const server = await serverSaying(() => {})
    const good = await serverSaying(ok('x'))
    const names = new CachingResolver({ clock: systemClock })
    const never = new Promise<never>(() => {})
    const resolver = { resolve: (host: string) => (host === 'slow.test' ? never : names.resolve(host)) }
    const fetcher = fetcherWith({ resolver })
    const controller = new AbortController()
    const all = [0, 1, 2].map(i => fetcher.fetch({ url: `${server.origin}/${i}` }, controller.signal))
    all.push(fetcher.fetch({ url: 'http://slow.test/' }, controller.signal))
    await until(() => server.requests.length === 1)
    const other = fetcher.fetch({ url: `${good.origin}/` }, signal)
    controller.abort()
    for (const result of await Promise.all(all)) expect(result).toMatchObject({ ok: false, code: 'RESET' })
    expect((await other).ok).toBe(true)
    await until(() => fetcher.connections.open === 1)
    expect(await fetcher.fetch({ url: `${good.origin}/` }, controller.signal)).toMatchObject({
      code: 'RESET',
    })
  })

  test('thousands of fetches leave one listener on their signal', async () => {
    const warnings: Error[] = []
    const listen = (warning: Error): void => void warnings.push(warning)
    process.on('warning', listen)
    const server = await serverSaying(ok('x'))
    const fetcher = fetcherWith()
    const controller = new AbortController()
    let listeners = 0
    const add = controller.signal.addEventListener.bind(controller.signal)
    controller.signal.addEventListener = (...args: Parameters<typeof add>) => {
      listeners++
      add(...args)
    }
    for (let i = 0; i < 100; i++) {
      const batch = Array.from({ length: 20 }, () =>
        fetcher.fetch({ url: `${server.origin}/` }, controller.signal),
      )
      expect((await Promise.all(batch)).every(result => result.ok)).toBe(true)
    }
    expect(listeners).toBe(1)
    expect(warnings).toEqual([])
    process.off('warning', listen)
  })

  test('close ends everything', async () => {
    const clock = new ManualClock()
    const idle = await serverSaying(ok('x'))
    const server = await serverSaying(() => {})
    const fetcher = fetcherWith({ clock })
    expect((await fetcher.fetch({ url: `${idle.origin}/` }, signal)).ok).toBe(true)
    const pending = [0, 1].map(i => fetcher.fetch({ url: `${server.origin}/${i}` }, signal))
    await until(() => server.requests.length === 1)
    await fetcher.close()
    for (const result of await Promise.all(pending)) expect(result).toMatchObject({ code: 'RESET' })
    expect(fetcher.connections).toEqual({ open: 0, idle: 0 })
    expect(clock.pending).toBe(0)
    expect(await fetcher.fetch({ url: `${server.origin}/` }, signal)).toMatchObject({ code: 'RESET' })
  })
})
