/** A whole agent with a parser that has a bug, a server on loopback and a ledger: the crawl goes on. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { fetcherWith, serverSaying } from '../../../../test/kit/fetching.js'
import { space } from '../../../../test/kit/frontier-space.js'
import { LocalBus } from '../../../bus/index.js'
import { systemClock as clock } from '../../../compose/index.js'
import { checkConfig } from '../../../config/index.js'
import { DirectoryPackStore, PackBuilder } from '../../../data/store/index.js'
import { warcRecords } from '../../../data/store/warc/index.js'
import { openMemoryLedger } from '../../../ledger/memory/index.js'
import { SeededRandom } from '../../../model/index.js'
import { Scope } from '../../../page/frontier/scope/index.js'
import { HostNames } from '../../../page/frontier/traps/index.js'
import { parsePage } from '../../../page/parse/index.js'
import { assembleAgent } from '../index.js'
import { PageFaults } from './page-faults.js'

const LEASE_MS = 30_000
const PAGES = ['/', '/bad', '/good', '/worse', '/last']
const NOTHING = () => {}
const directory = mkdtempSync(join(tmpdir(), 'orb-page-faults-'))
afterEach(() => rmSync(directory, { recursive: true, force: true }))

it('pages that the parser throws at are outcomes; the others are crawled, and the budget counts those', async () => {
  const server = await serverSaying((socket, request) => {
    const found = PAGES.includes(request.split(' ')[1] ?? '')
    const body = found ? PAGES.map(path => `<a href="${path}">x</a>`).join('') : ''
    const status = found ? '200 OK' : '404 Not Found'
    socket.write(
      `HTTP/1.1 ${status}\r\nContent-Type: text/html\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    )
  })
  const ledger = openMemoryLedger(() => clock.now())
  const cell = `127.0.0.1:${server.port}`
  const url = `${server.origin}/`
  await ledger.append([{ cell, group: cell, rows: [{ url, depth: 0, hops: 0, score: 1, via: '' }] }])
  const incarnation = await ledger.join('agent-1', 2)
  const random = new SeededRandom(1)
  const records = warcRecords({ codec: 'gzip', level: 1 }, random)
  const owner = { crawl: 'faults', incarnation }
  const bus = new LocalBus()
  const logged: unknown[] = []
  const config = checkConfig({
    seeds: [url],
    scope: 'any',
    lanes: 2,
    delay: 0,
    sitemap: ['none'],
    allowPrivate: true,
  })
  const { agent, store, counters } = assembleAgent({
    name: 'agent-1',
    incarnation,
    config,
    clock,
    leaseMs: LEASE_MS,
    random,
    ledger,
    bus: bus.join(),
    fetcher: fetcherWith(),
    store: new DirectoryPackStore({ directory, owner, clock, records, info: {} }),
    newBuilder: () => new PackBuilder({ agent: 'agent-1', records, tables: true }),
    archives: true,
    space,
    scope: new Scope({ seeds: [url], kind: 'any', include: [], exclude: [] }),
    guest: null,
    readPage: null,
    parse: request => {
      if (/bad|worse/.test(request.url)) throw new RangeError('Invalid code point NaN')
      return parsePage(request)
    },
    hosts: new HostNames(),
    recrawl: false,
    log: (event, fields) => void logged.push([event, fields]),
    onScopeWidened: NOTHING,
    onDiskTrouble: NOTHING,
    waitingFor: () => '',
    onHeartbeat: NOTHING,
  })
  const ended = agent.run()
  await ledger.grant(incarnation, [cell], LEASE_MS, 0)
  bus.join().send({ kind: 'leases', to: incarnation, waiting: 0 })
  while ((await ledger.totals()).settled < PAGES.length) await new Promise(resolve => setTimeout(resolve, 10))
  agent.stop()
  await ended
  await store.close()
  const { outcomes, pages } = await ledger.totals()
  expect(pages).toBe(3)
  expect(Object.fromEntries(outcomes.map(({ code, count }) => [code, count]))).toEqual({
    OK: 3,
    INTERNAL_ERROR: 2,
  })
  expect(counters).toMatchObject({ pages: 3, errors: 2 })
  const stack = expect.stringMatching(/^RangeError: Invalid code point NaN\n +at /)
  expect(logged.filter(line => JSON.stringify(line).includes('internal error'))).toEqual([
    ['internal error', { url: `${server.origin}/bad`, stack }],
    ['internal error', { url: `${server.origin}/worse`, stack }],
  ])
})

it('the log is bounded however many pages throw', () => {
  let lines = 0
  const faults = new PageFaults(() => void lines++)
  for (let i = 0; i < 5_000; i++)
    expect(faults.caught('http://a.test/', new Error(`no ${i}`))).toBe(`Error: no ${i}`)
  expect(lines).toBe(1_000)
})
