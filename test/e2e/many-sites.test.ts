/** @module-tag deep */
import { readFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import Database from 'libsql'
import { describe, expect, it } from 'vitest'
import { urlsWith } from '../kit/crawled.js'
import { orbweaver, temporary } from '../kit/orbweaver.js'

const SITES = 1_100
const LANES = 50
const PAGES = 3
/** A site that would keep its lane for long, and the visits after which it has to lend it to others. */
const GIANT = 'giant.test'
const GIANT_PAGES = 4_300
const SLICE = 2_000

const name = (site: number) => `n${site}.test`
const small = (site: number) => Array.from({ length: PAGES }, (_, i) => `http://${name(site)}/${i || ''}`)

/**
 * Small sites answer only after the giant has had its slice: so there are always some that wait for a lane.
 */
async function listen() {
  const asked: string[] = []
  const held: (() => void)[] = []
  let giantPages = 0
  const server = createServer((request, response) => {
    const host = (request.headers.host ?? '').replace(/:\d+$/, '')
    const path = request.url ?? '/'
    asked.push(`${host}${path}`)
    if (path === '/robots.txt') say(response, 404, '')
    else if (host === GIANT) {
      if (++giantPages === SLICE) for (const go of held.splice(0)) go()
      const page = Number(path.slice(1))
      const links = [page + 1, page + 2, 2 * page + 1].filter(next => next < GIANT_PAGES)
      say(response, 200, links.map(next => `<a href=/${next}>next</a>`).join(''))
    } else {
      const next = Number(path.slice(1)) + 1
      // The head at once: on a busy machine the giant takes longer than a head is waited for.
      response.writeHead(200, { 'content-type': 'text/html' }).flushHeaders()
      const answer = () => response.end(next < PAGES ? `<a href=/${next}>next</a>` : 'end')
      if (giantPages < SLICE) held.push(answer)
      else answer()
    }
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return { server, asked, port: (server.address() as AddressInfo).port }
}

function say(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { 'content-type': 'text/html' })
  response.end(`<!DOCTYPE html><title>t</title>${body}`)
}

/** How often a site was leased, and how many sites are finished. */
function lookAt(out: string, cell: string): { leases: number; finished: number } {
  const ledger = new Database(join(out, 'ledger.db'), { readonly: true })
  try {
    const one = (sql: string, ...values: string[]) =>
      (
        ledger
          .prepare(sql)
          .raw()
          .all(...values) as [number][]
      )[0][0]
    return {
      leases: one('SELECT epoch FROM cell WHERE cell = ?', cell),
      finished: one(`SELECT count(*) FROM cell WHERE state = 'finished'`),
    }
  } finally {
    ledger.close()
  }
}

describe(`${SITES} sites with ${LANES} lanes`, () => {
  it('are all finished, each page once, and a giant among them lends its lane to those that wait', async () => {
    const { server, asked, port } = await listen()
    const out = temporary('crawl')
    const sites = Array.from({ length: SITES }, (_, i) => i)
    const seeds = [`http://${GIANT}/`, ...sites.map(site => `http://${name(site)}/`)]
    const flags = [
      '--resolve',
      `*.test=127.0.0.1:${port}`,
      '--delay',
      '0',
      '--contact',
      'https://example.org/',
    ]
    const end = await orbweaver(['crawl', ...seeds, ...flags, '--lanes', `${LANES}`, '--out', out])
    server.closeAllConnections()
    server.close()
    expect(end.code, end.stderr).toBe(0)
    const report = JSON.parse(readFileSync(join(out, 'report.json'), 'utf8'))
    expect(report).toMatchObject({ sites: SITES + 1, queued: 0, failed: 0, finishReason: 'done' })
    const giant = Array.from({ length: GIANT_PAGES }, (_, i) => `http://${GIANT}/${i || ''}`)
    expect((await urlsWith(out, 'OK')).sort()).toEqual([...giant, ...sites.flatMap(small)].sort())
    expect(new Set(asked).size).toBe(asked.length)
    // The slice ended the giant's lease, and it came back only after all that had been waiting.
    const giantAsked = asked.flatMap((url, i) =>
      url.startsWith(`${GIANT}/`) && !url.endsWith('.txt') ? [i] : [],
    )
    const begunBefore = new Set(asked.slice(0, giantAsked[SLICE]).map(url => url.slice(0, url.indexOf('/'))))
    expect(begunBefore.size).toBeGreaterThan(SITES - LANES)
    const { leases, finished } = lookAt(out, GIANT)
    expect(finished).toBe(SITES + 1)
    expect(leases).toBeGreaterThan(1)
  }, 300_000)
})
