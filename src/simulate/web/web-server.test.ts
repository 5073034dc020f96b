import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { type IncomingHttpHeaders, request } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { systemClock } from '../../compose/system.js'
import type { Clock } from '../../model/clock.js'
import {
  latencyOf,
  mishapOf,
  RequestLog,
  type ServedRequest,
  truth,
  WebPlan,
  WebServer,
  type WebServerOptions,
} from './index.js'

const plan = new WebPlan({ sites: 6, pages: 400, seed: 11 })
const open: WebServer[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map(server => server.close()))
})

async function start(options: Partial<WebServerOptions> = {}): Promise<WebServer> {
  const server = await WebServer.listen(plan, { clock: systemClock, port: 0, ...options })
  open.push(server)
  return server
}

interface Reply {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

function ask(
  server: WebServer,
  site: number,
  path: string,
  headers: Record<string, string> = {},
  method = 'GET',
): Promise<Reply> {
  const host = server.authority(site)
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port: server.port, path, method, headers: { host, ...headers } }
    const asking = request(options, response => {
      let body = ''
      response.on('data', chunk => (body += chunk))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }))
    })
    asking.on('error', reject).end()
  })
}

/** Sends bytes as they are and collects what comes until the server closes, or `enough` says so. */
function converse(server: WebServer, text: string, enough: (answer: string) => boolean): Promise<string> {
  return new Promise(resolve => {
    const socket = connect(server.port, '127.0.0.1')
    let answer = ''
    socket.on('data', chunk => {
      answer += chunk.toString('latin1')
      if (enough(answer)) socket.destroy()
    })
    socket.on('error', () => undefined)
    socket.on('close', () => resolve(answer))
    socket.write(text, 'latin1')
  })
}

const untilClosed = () => false
const page1 = plan.pathOf(0, 1)

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

describe('the protocol', () => {
  it('HEAD says what GET would, without a body', async () => {
    const server = await start()
    const got = await ask(server, 0, page1)
    const head = await ask(server, 0, page1, {}, 'HEAD')
    expect(head.body).toBe('')
    expect(head.headers['content-length']).toBe(String(Buffer.byteLength(got.body)))
    expect(head.headers.etag).toBe(got.headers.etag)
  })

  it('requests sent in one go are answered in order on one connection', async () => {
    const server = await start({ latencyMs: 3 })
    const paths = [plan.pathOf(0, 1), '/robots.txt', '/none', plan.pathOf(0, 2)]
    const requests = paths.map(path => `GET ${path} HTTP/1.1\r\nHost: s00.test\r\n\r\n`).join('')
    const last = 'GET / HTTP/1.1\r\nHost: s00.test\r\nConnection: close\r\n\r\n'
    const answer = await converse(server, requests + last, untilClosed)
    expect(answer.match(/^HTTP\/1\.1 \d+/gm)).toEqual(
      [200, 200, 404, 200, 200].map(status => `HTTP/1.1 ${status}`),
    )
    expect(answer.indexOf('page 1, revision')).toBeLessThan(answer.indexOf('page 2, revision'))
    expect(answer.match(/<\/html>/g)).toHaveLength(3)
    expect(server.counts()).toMatchObject({ connections: 1, requests: 5 })
  })

  it('a request that comes byte by byte is still one', async () => {
    const server = await start()
    const socket = connect(server.port, '127.0.0.1').setNoDelay(true)
    const answer = new Promise<string>(resolve =>
      socket.once('data', data => resolve(data.toString('latin1'))),
    )
    for (const byte of 'GET /robots.txt HTTP/1.1\r\nhOST: S00.Test:1\r\n\r\n') {
      await new Promise(resolve => socket.write(byte, resolve))
    }
    expect(await answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
    socket.destroy()
  })

  it('a client that is slow to read gets its own bytes, whatever others ask meanwhile', async () => {
    const server = await start()
    const count = 2_000
    const slow = connect(server.port, '127.0.0.1')
    const requests = Array.from(
      { length: count },
      (_, i) => `GET ${plan.pathOf(0, i % 50)} HTTP/1.1\r\nHost: s00.test\r\n\r\n`,
    )
    slow.pause().write(`${requests.join('')}GET / HTTP/1.0\r\nHost: s00.test\r\n\r\n`)
    // Pages no longer go out at once: the rest of this client's answer waits in memory.
    let before = -1
    while (server.counts().requests > before) {
      before = server.counts().requests
      for (let page = 0; page < 20; page++) await ask(server, 1, plan.pathOf(1, page % 4))
      before += 20
    }
    expect(server.counts().requests).toBeLessThan(count)
    let answer = ''
    slow.on('data', chunk => (answer += chunk.toString('latin1')))
    await once(slow.resume(), 'close')
    const titles = [...answer.matchAll(/<title>.* (\d+) of s0(\d)/g)].map(match => `${match[2]}/${match[1]}`)
    expect(titles).toEqual([...requests.map((_, i) => `0/${i % 50}`), '0/0'])
  })

  it('HTTP/1.0 closes unless asked to stay, and gets no chunks', async () => {
    const server = await start()
    for (let page = 1; page < 40; page++) {
      const path = plan.pathOf(0, page)
      const closed = await converse(server, `GET ${path} HTTP/1.0\r\nHost: s00.test\r\n\r\n`, untilClosed)
      expect(closed).toMatch(/\r\nConnection: close\r\n/)
      expect(closed).not.toMatch(/chunked/)
      expect(closed.endsWith('</html>\n')).toBe(true)
    }
    const stays = 'GET /robots.txt HTTP/1.0\r\nHost: s00.test\r\nConnection: keep-alive\r\n\r\n'
    expect(await converse(server, stays, text => text.includes('Sitemap'))).toMatch(/Connection: keep-alive/)
  })

  it('some pages come in chunks', async () => {
    const server = await start()
    let chunked = 0
    for (let page = 0; page < 60; page++) {
      const { headers, body } = await ask(server, 0, plan.pathOf(0, page))
      if (headers['transfer-encoding'] === 'chunked') chunked++
      expect(body.endsWith('</html>\n')).toBe(true)
    }
    expect(chunked).toBeGreaterThan(0)
  })

  it('serves as a proxy: an absolute target names the site', async () => {
    const server = await start()
    const text = `GET http://s02.test:${server.port}/robots.txt HTTP/1.1\r\nHost: x\r\nProxy-Connection: close\r\n\r\n`
    expect(await converse(server, text, untilClosed)).toContain(`Sitemap: http://s02.test:${server.port}/`)
    const bare = `GET http://s02.test HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`
    expect(await converse(server, bare, untilClosed)).toContain('of s02.test')
  })
})

describe('bad requests', () => {
  it('get an answer and lose their connection; the next client does not notice', async () => {
    const server = await start()
    const bad: [string, RegExp][] = [
      ['hello\r\n\r\n', /^HTTP\/1\.1 400 /],
      ['GET /\r\n\r\n', /^HTTP\/1\.1 400 /],
      ['GET / HTTP/2.0\r\n\r\n', /^HTTP\/1\.1 400 /],
      ['GET x HTTP/1.1\r\nHost: s00.test\r\n\r\n', /^HTTP\/1\.1 400 /],
      ['GET / HTTP/1.1\r\nno colon\r\n\r\n', /^HTTP\/1\.1 400 /],
      [`GET /${'a'.repeat(20_000)} HTTP/1.1\r\n\r\n`, /^HTTP\/1\.1 431 /],
      [`GET / HTTP/1.1\r\nX: ${'a'.repeat(200_000)}`, /^HTTP\/1\.1 431 /],
      ['GET / HTTP/1.1\r\nHost: elsewhere.org\r\n\r\n', /^HTTP\/1\.1 404 .*Start at http:\/\/s00\.test/s],
      ['POST / HTTP/1.1\r\nHost: s00.test\r\nContent-Length: 3\r\n\r\nabc', /^HTTP\/1\.1 405 /],
      ['GET / HTTP/1.1\r\nHost: s00.test\r\nContent-Length: 3\r\n\r\nabc', /^HTTP\/1\.1 200 /],
    ]
    for (const [text, wanted] of bad)
      expect(await converse(server, text, untilClosed), text.slice(0, 40)).toMatch(wanted)
    expect((await ask(server, 0, '/')).status).toBe(200)
    expect(server.counts().badRequests).toBe(9)
  })

  it('of any bytes do no harm', async () => {
    const server = await start()
    const bytes = fc.array(
      fc.constantFrom('GET ', '/', ' HTTP/1.1', '\r\n', 'Host: s00.test', ':', '\0', 'é', '%'),
    )
    await fc.assert(
      fc.asyncProperty(bytes, async pieces => {
        await converse(server, `${pieces.join('')}\r\n\r\n\r\n\r\nx\r\n\r\n`, untilClosed)
      }),
      { numRuns: 60 },
    )
    expect((await ask(server, 0, '/')).status).toBe(200)
  })

  it('a client that leaves while its answer waits is logged as one that got none', async () => {
    const served: ServedRequest[] = []
    const server = await start({ latencyMs: 60_000, onServed: line => served.push(line) })
    const socket = connect(server.port, '127.0.0.1')
    socket.write('GET / HTTP/1.1\r\nHost: s01.test\r\n\r\n')
    while (server.counts().requests === 0) await new Promise(resolve => setImmediate(resolve))
    socket.destroy()
    while (served.length === 0) await new Promise(resolve => setImmediate(resolve))
    expect(served[0]).toMatchObject({ status: 0, target: '/', site: `s01.test:${server.port}`, bytes: 0 })
    expect(server.counts().covered).toBe(0)
  })
})

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
