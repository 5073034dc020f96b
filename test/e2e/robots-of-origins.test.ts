/** One site, two origins: what http and https of a host say in their robots.txt is kept apart. */
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import type { Report } from '../../src/report/index.js'
import { makeCertificate } from '../kit/certificate.js'
import { urlsWith } from '../kit/crawled.js'
import { orbweaver, temporary } from '../kit/orbweaver.js'

const HOST = 'both.test'
/** The first byte of a TLS handshake. */
const HANDSHAKE = 0x16
const PAGE = ['http', 'https']
  .flatMap(scheme => ['plain', 'safe'].map(path => `<a href="${scheme}://${HOST}/${path}">x</a>`))
  .join('')

let listening: Server | null = null
afterEach(() => void listening?.close())

/** http and https on one port; `robots` is given the scheme. */
async function bothOrigins(robots: (scheme: string, response: ServerResponse) => void) {
  const asked: string[] = []
  const authority = makeCertificate({ name: 'Test Authority', authority: true })
  const { cert, key } = makeCertificate({ name: HOST, hosts: [HOST], issuer: authority })
  const answer = (scheme: string) => (request: IncomingMessage, response: ServerResponse) => {
    asked.push(`${scheme}://${HOST}${request.url}`)
    if (request.url === '/robots.txt') robots(scheme, response)
    else response.writeHead(200, { 'content-type': 'text/html' }).end(PAGE)
  }
  const servers = [createHttpServer(answer('http')), createHttpsServer({ cert, key }, answer('https'))]
  const listener = createServer(socket => {
    socket.on('error', () => {})
    socket.once('data', first => {
      socket.pause()
      socket.unshift(first)
      servers[first[0] === HANDSHAKE ? 1 : 0].emit('connection', socket)
      process.nextTick(() => socket.resume())
    })
  })
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  listening = listener
  const roots = temporary('roots.pem')
  writeFileSync(roots, authority.cert)
  const env = { NODE_EXTRA_CA_CERTS: roots }
  const out = temporary('crawl')
  const end = await orbweaver(
    [
      ...['crawl', `http://${HOST}/`, '--delay', '0', '--contact', 'https://example.org/', '--out', out],
      ...['--resolve', `${HOST}=127.0.0.1:${(listener.address() as AddressInfo).port}`],
    ],
    env,
  )
  const report = JSON.parse(readFileSync(join(out, 'report.json'), 'utf8')) as Report
  return { asked, out, end, report, env }
}

describe('http and https of one host', () => {
  it('have rules of their own', async () => {
    const { asked, out, end } = await bothOrigins((scheme, response) =>
      response.end(`User-agent: *\nDisallow: /${scheme === 'http' ? 'plain' : 'safe'}\n`),
    )
    expect(end.code, end.stderr).toBe(0)
    expect(asked.toSorted()).toEqual([
      `http://${HOST}/`,
      `http://${HOST}/robots.txt`,
      `http://${HOST}/safe`,
      `https://${HOST}/plain`,
      `https://${HOST}/robots.txt`,
    ])
    expect((await urlsWith(out, 'ROBOTS_DISALLOWED')).toSorted()).toEqual([
      `http://${HOST}/plain`,
      `https://${HOST}/safe`,
    ])
  })

  it('one that cannot tell its rules is left alone and named; the other is crawled; resume goes on with it', async () => {
    let status = 500
    const { asked, out, end, report, env } = await bothOrigins((scheme, response) => {
      response.writeHead(scheme === 'https' ? status : 404).end()
    })
    expect(end.code, end.stderr).toBe(12)
    expect(asked.filter(url => url.startsWith('https:') && !url.endsWith('/robots.txt'))).toEqual([])
    expect((await urlsWith(out, 'OK')).toSorted()).toEqual(
      ['', 'plain', 'safe'].map(path => `http://${HOST}/${path}`),
    )
    expect(report.robots.refusedSites).toMatchObject([{ origin: `https://${HOST}`, status: 500 }])
    expect(end.stderr).toContain(`https://${HOST}: robots.txt answered 500`)
    status = 404
    const resumed = await orbweaver(['resume', out], env)
    expect(resumed.code, resumed.stderr).toBe(0)
    expect(await urlsWith(out, 'OK')).toHaveLength(5)
  })
})
