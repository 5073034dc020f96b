/** What the served web says, counts and writes down, and how it misbehaves on request. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ask, page1, plan, start } from '../../../test/kit/served-web.js'
import { systemClock } from '../../compose/index.js'
import type { Clock } from '../../model/index.js'
import { latencyOf, mishapOf } from './conditions.js'
import { RequestLog } from './request-log.js'
import { truth } from './truth.js'
import type { WebServer } from './web-server.js'

describe('conditional requests', () => {
  it('a page asked for with its tag, or its date, is not sent again', async () => {
    const server = await start()
    let byTag = 0
    let byDate = 0
    for (let page = 0; page < 30; page++) {
      const path = plan.pathOf(0, page)
      const { headers, body } = await ask(server, 0, path)
      const etag = headers.etag
      if (etag !== undefined) {
        byTag++
        const again = await ask(server, 0, path, { 'if-none-match': `"other", ${etag}` })
        expect(again).toMatchObject({ status: 304, body: '' })
        expect(again.headers.etag).toBe(etag)
        expect((await ask(server, 0, path, { 'if-none-match': '"other"' })).body).toBe(body)
      }
      const modified = headers['last-modified']
      if (modified === undefined) continue
      byDate++
      expect((await ask(server, 0, path, { 'if-modified-since': modified })).status).toBe(304)
      const earlier = new Date(Date.parse(modified) - 1_000).toUTCString()
      expect((await ask(server, 0, path, { 'if-modified-since': earlier })).status).toBe(200)
    }
    expect(byTag).toBeGreaterThan(15)
    expect(byDate).toBeGreaterThan(15)
    expect(server.counts().notModified).toBe(byTag + byDate)
  })

  it('a page that changed is sent, with a later date and another tag', async () => {
    let offset = 0
    const clock: Clock = { ...systemClock, now: () => systemClock.now() + offset }
    const server = await start({ clock, changeRate: 1, changePeriodMs: 3_600_000 })
    const path = await taggedPath(server)
    const before = await ask(server, 0, path)
    offset = 3_600_000
    const after = await ask(server, 0, path, { 'if-none-match': before.headers.etag ?? '' })
    expect(after.status).toBe(200)
    expect(after.body).not.toBe(before.body)
    expect(after.headers.etag).not.toBe(before.headers.etag)
  })
})

async function taggedPath(server: WebServer): Promise<string> {
  for (let page = 0; ; page++) {
    const path = plan.pathOf(0, page)
    if ((await ask(server, 0, path)).headers.etag !== undefined) return path
  }
}

describe('counts', () => {
  it('tell repeats, forbidden pages, decoys, dead links and strays apart', async () => {
    const server = await start()
    await ask(server, 0, '/')
    await ask(server, 0, '/')
    await ask(server, 0, '/private/0.html')
    await ask(server, 0, '/decoy/1-c.html')
    await ask(server, 0, '/gone/0.html')
    await ask(server, 0, '/nonsense')
    await ask(server, 0, '/assets/site.css')
    expect(server.counts()).toMatchObject({
      covered: 1,
      repeats: 1,
      violations: 1,
      decoys: 1,
      gone: 1,
      strays: 1,
      others: 1,
      requests: 7,
    })
  })
})

describe('knobs', () => {
  const paths = Array.from({ length: 4_000 }, (_, i) => `/p${i}`)

  it('latency has its mean, differs by site, and by URL only with jitter', () => {
    const steady = { latencyMs: 100 }
    const bySite = Array.from({ length: 6 }, (_, site) => latencyOf(plan, steady, site, '/'))
    expect(new Set(bySite).size).toBe(6)
    for (const ms of bySite) expect(ms).toBeGreaterThanOrEqual(50)
    for (const ms of bySite) expect(ms).toBeLessThanOrEqual(150)
    expect(new Set(paths.map(path => latencyOf(plan, steady, 1, path))).size).toBe(1)
    const jittered = paths.map(path => latencyOf(plan, { ...steady, latencyJitter: 1 }, 1, path))
    const mean = jittered.reduce((sum, ms) => sum + ms, 0) / jittered.length
    expect(mean / bySite[1]).toBeCloseTo(1, 1)
    expect(Math.min(...jittered)).toBeGreaterThanOrEqual(0)
    expect(latencyOf(plan, { slowSites: new Map([[2, 700]]) }, 2, '/')).toBe(700)
  })

  it('failures strike the share of URLs asked for, the same ones every time', () => {
    const knobs = { failRate: 0.2, dropRate: 0.1 }
    const fates = paths.map(path => mishapOf(plan, knobs, 0, path))
    expect(fates).toEqual(paths.map(path => mishapOf(plan, knobs, 0, path)))
    expect(fates).not.toEqual(paths.map(path => mishapOf(plan, knobs, 1, path)))
    expect(fates.filter(fate => fate === 'fail').length / 4_000).toBeCloseTo(0.2, 1)
    expect(fates.filter(fate => fate === 'drop').length / 4_000).toBeCloseTo(0.1, 1)
  })

  it('a failing URL answers 503 once and then its page; robots.txt never fails', async () => {
    const server = await start({ failRate: 1 })
    const first = await ask(server, 0, page1)
    expect(first.status).toBe(503)
    expect(first.headers['retry-after']).toBe('1')
    expect((await ask(server, 0, page1)).status).toBe(200)
    expect((await ask(server, 0, '/robots.txt')).status).toBe(200)
  })

  it('a dropped URL is cut off once and then answered', async () => {
    const server = await start({ dropRate: 1 })
    await expect(ask(server, 0, page1)).rejects.toThrow()
    expect((await ask(server, 0, page1)).status).toBe(200)
  })
})

describe('the log', () => {
  it('has a line per request with start, end, source address, site, path and status', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'web-log-'))
    const path = join(directory, 'requests.jsonl')
    const log = new RequestLog(path, systemClock)
    const server = await start({ onServed: served => log.add(served), latencyMs: 5 })
    const socket = connect({ port: server.port, host: '127.0.0.1', localAddress: '127.0.0.9' })
    const done = new Promise(resolve => socket.on('close', resolve))
    socket.resume().write('GET /x" HTTP/1.1\r\nHost: s01.test\r\nConnection: close\r\n\r\n')
    await done
    await ask(server, 2, '/')
    await server.close()
    log.close()
    const lines = readFileSync(path, 'utf8')
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line))
    const [first, second] = lines
    expect(first).toMatchObject({
      from: '127.0.0.9',
      site: `s01.test:${server.port}`,
      path: '/x"',
      status: 404,
    })
    expect(second).toMatchObject({
      from: '127.0.0.1',
      site: `s02.test:${server.port}`,
      path: '/',
      status: 200,
    })
    expect(first.end).toBeGreaterThan(first.start)
    expect(second.start).toBeGreaterThan(first.end)
    expect(second.bytes).toBeGreaterThan(12_000)
    rmSync(directory, { recursive: true })
  })
})

describe('addresses', () => {
  it('each site listens on its own, and its URLs say so', async () => {
    const server = await start({ addresses: true })
    const urls = [...truth(plan, server.authority)]
    expect(urls[0]).toBe(`http://127.0.1.1:${server.port}/`)
    const text = await new Promise<string>(resolve => {
      const socket = connect(server.port, '127.0.1.3')
      let answer = ''
      socket.on('data', chunk => (answer += chunk)).on('close', () => resolve(answer))
      socket.write('GET / HTTP/1.0\r\n\r\n')
    })
    expect(text).toContain(`of 127.0.1.3:${server.port}</title>`)
  })

  it('a port in use is an error, and leaves nothing listening', async () => {
    const first = await start()
    await expect(start({ port: first.port })).rejects.toThrow(/EADDRINUSE/)
  })
})
