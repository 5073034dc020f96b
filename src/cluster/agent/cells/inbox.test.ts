import { expect, it } from 'vitest'
import { serverSaying } from '../../../../test/kit/fetching.js'
import { loneAgent } from '../../../../test/kit/lone-agent.js'
import { LocalBus } from '../../../bus/index.js'
import { systemClock as clock } from '../../../compose/index.js'
import { openMemoryLedger } from '../../../ledger/memory/index.js'

const LEASE_MS = 60_000

it('rows that an earlier version wrote are taken in normal form, each URL once', {
  timeout: 60_000,
}, async () => {
  const server = await serverSaying((socket, request) => {
    const body = request.startsWith('GET /robots.txt') ? '' : 'x'
    socket.write(
      `HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    )
  })
  const ledger = openMemoryLedger(() => clock.now())
  const cell = `127.0.0.1:${server.port}`
  const rows = ['/%66oo', '/foo', '/f%6Fo', '/caf%c3%a9', '/caf%C3%A9', '/a%2fb', '/end'].map(path => ({
    url: `${server.origin}${path}`,
    depth: 0,
    hops: 0,
    score: 1,
    via: '',
  }))
  await ledger.append([{ cell, group: cell, rows }])
  const incarnation = await ledger.join('agent-1', 2)
  const bus = new LocalBus()
  const coordinator = bus.join()
  const url = `${server.origin}/`
  const assembled = loneAgent({ url, bus: bus.join(), ledger, incarnation, leaseMs: LEASE_MS, delayMs: 0 })
  const ended = assembled.agent.run()
  await ledger.grant(incarnation, [cell], LEASE_MS, 0)
  coordinator.send({ kind: 'leases', to: incarnation, waiting: 0 })
  while ((await ledger.totals()).pages < 4) await new Promise(resolve => setTimeout(resolve, 10))
  assembled.agent.stop()
  await ended
  await assembled.store.close()
  const asked = server.requests.map(request => request.split(' ')[1]).filter(path => path !== '/robots.txt')
  expect(asked.sort()).toEqual(['/a%2Fb', '/caf%C3%A9', '/end', '/foo'])
  expect(await ledger.totals()).toMatchObject({ pages: 4, discovered: 4, settled: 4 })
})
