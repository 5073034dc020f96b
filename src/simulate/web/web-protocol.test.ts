/** HTTP as the served web speaks it. */
import { once } from 'node:events'
import { connect } from 'node:net'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ask, converse, page1, plan, start, untilClosed } from '../../../test/kit/served-web.js'
import type { ServedRequest } from './web-server.js'

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
