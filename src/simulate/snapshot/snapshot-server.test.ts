import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { get, type IncomingHttpHeaders } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { gzipRecord, page } from '../../../test/kit/made-warc.js'
import { systemClock } from '../../compose/index.js'
import { SnapshotServer } from './snapshot-server.js'

let folder: string
let server: SnapshotServer

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'orb-snapshot-'))
  const gzip = 'HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Type: text/html\r\nETag: "1"'
  const slow = page('http://a.test/slow', 'slow')
  const id = { 'WARC-Record-ID': '<urn:uuid:00000000-0000-4000-8000-aaaaaaaaaaaa>' }
  const records = [
    page('http://a.test/', 'home', {
      head: 'HTTP/1.1 203 Odd Reason\r\nX-A: 1\r\nX-A: 2\r\nTransfer-Encoding: chunked',
    }),
    page('http://a.test/moved', '', { head: 'HTTP/1.1 302 Found\r\nLocation: /there' }),
    page('http://a.test/gz', gzipSync('packed'), { head: gzip }),
    page('http://a.test/cut', 'cu', { fields: { 'WARC-Truncated': 'disconnect' } }),
    page('http://b.test/', '', { head: 'HTTP/1.1 301 Moved\r\nLocation: https://b.test/' }),
    page('https://b.test/', 'secure'),
    { ...slow, fields: { ...slow.fields, ...id } },
    {
      type: 'metadata',
      url: 'http://a.test/slow',
      block: 'fetchTimeMs: 40\r\n',
      fields: { 'WARC-Concurrent-To': id['WARC-Record-ID'] },
    },
  ]
  writeFileSync(join(folder, 'a.warc.gz'), Buffer.concat(records.map(gzipRecord)))
  server = await SnapshotServer.listen({ clock: systemClock, pattern: folder, port: 0, latencyScale: 1 })
})
afterEach(async () => {
  await server.close()
  rmSync(folder, { recursive: true })
})

interface Reply {
  readonly status: number
  readonly reason: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
  readonly ms: number
}

function ask(path: string, headers: Record<string, string> = {}): Promise<Reply | 'broken'> {
  const since = performance.now()
  return new Promise(resolve => {
    const options = { host: '127.0.0.1', port: server.port, path, headers: { host: 'a.test', ...headers } }
    get(options, response => {
      const parts: Buffer[] = []
      response.on('data', part => parts.push(part))
      response.on('error', () => resolve('broken'))
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          reason: response.statusMessage ?? '',
          headers: response.headers,
          body: Buffer.concat(parts).toString(),
          ms: performance.now() - since,
        }),
      )
    }).on('error', () => resolve('broken'))
  })
}

describe('a snapshot answers', () => {
  it('with status, reason and headers as recorded, framed anew', async () => {
    const reply = await ask('/')
    expect(reply).toMatchObject({ status: 203, reason: 'Odd Reason', body: 'home' })
    expect((reply as Reply).headers).toMatchObject({ 'x-a': '1, 2', 'content-length': '4' })
    expect((reply as Reply).headers).not.toHaveProperty('transfer-encoding')
    expect(await ask('/moved')).toMatchObject({ status: 302, headers: { location: '/there' } })
  })

  it('with 404 for what it does not have', async () => {
    expect(await ask('/other')).toMatchObject({ status: 404 })
    expect(server.counts).toEqual({ requests: 1, missing: 1 })
  })

  it('with the coding that was recorded, or none for a client that does not know it', async () => {
    const packed = (await ask('/gz', { 'accept-encoding': 'gzip, br' })) as Reply
    expect(packed.headers['content-encoding']).toBe('gzip')
    const plain = (await ask('/gz')) as Reply
    expect([plain.headers['content-encoding'], plain.body]).toEqual([undefined, 'packed'])
    expect(await ask('/gz', { 'if-none-match': '"1"' })).toMatchObject({ status: 304, body: '' })
  })

  it('with a body that breaks off where the recorded one did', async () => {
    expect(await ask('/cut')).toBe('broken')
  })

  it('for https sites too, and to proxies by their whole URL', async () => {
    expect(await ask('/', { host: 'b.test' })).toMatchObject({ status: 200, body: 'secure' })
    expect(await ask('http://b.test/')).toMatchObject({
      status: 301,
      headers: { location: 'https://b.test/' },
    })
  })

  it('not before the recorded time has passed', async () => {
    const reply = (await ask('/slow')) as Reply
    expect(reply.body).toBe('slow')
    expect(reply.ms).toBeGreaterThanOrEqual(38)
  })
})
