/**
 * Every page links to as many new domains as a page may have links, and nobody is asked to wait: a heap of
 * 512 MB has to do.
 *
 * @module-tag deep
 */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import Database from 'libsql'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { systemClock } from '../../src/compose/index.js'
import { openSqliteLedger } from '../../src/ledger/sqlite/index.js'
import { LIMITS } from '../../src/model/index.js'
import { urlsWith } from '../kit/crawled.js'
import { type Ended, type RunningCommand, start, temporary } from '../kit/orbweaver.js'

const LINKS = LIMITS.linksPerPage
/** Threads that Node starts have the same limit, each for itself. */
const HEAP = '--max-old-space-size=512'
/** Farm pages that are acknowledged before Ctrl-C: by then a thousand lanes have one. */
const PAGES = 3
/** The promise is five seconds; a machine that runs other tests beside this one is given more. */
const STOP_MS = 30_000
const PLACE = '#######'

/** Names of one page's links have a number in common that no other page's have. */
class LinkFarm {
  readonly #server: Server
  readonly #page = Array.from({ length: LINKS }, (_, i) => `<a href="http://${PLACE}${i}.test/">x</a>`).join(
    '\n',
  )
  readonly #numbers = new Map<string, number>()

  constructor() {
    this.#server = createServer((request, response) => {
      if (request.url === '/robots.txt') return response.writeHead(404).end()
      response.writeHead(200, { 'content-type': 'text/html' })
      return response.end(this.#page.replaceAll(PLACE, this.nameOf(String(request.headers.host))))
    })
  }

  async listen(): Promise<void> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
  }

  get flags(): string[] {
    const { port } = this.#server.address() as AddressInfo
    return ['--scope', 'any', '--delay', '0', '--resolve', `*.test=127.0.0.1:${port}`]
  }

  /** What the names of the sites begin with that the page of a host links to. */
  nameOf(host: string): string {
    const number = this.#numbers.get(host) ?? this.#numbers.size + 1
    this.#numbers.set(host, number)
    return `f${String(number).padStart(5, '0')}x`
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }
}

let farm: LinkFarm
let running: RunningCommand | null = null
beforeEach(async () => {
  farm = new LinkFarm()
  await farm.listen()
})
afterEach(async () => {
  running?.process.kill('SIGKILL')
  await running?.ended
  await farm.close()
})

async function acknowledged(directory: string): Promise<number> {
  const ledger = openSqliteLedger(join(directory, 'ledger.db'), { create: false, now: systemClock.now })
  try {
    return (await ledger.totals()).pages
  } finally {
    await ledger.close()
  }
}

/** Runs the command until so many pages are acknowledged, then presses Ctrl-C once. */
async function untilStopped(args: readonly string[], directory: string, pages: number): Promise<Ended> {
  const command = start(args, { NODE_OPTIONS: HEAP })
  running = command
  let isOver = false
  void command.ended.then(() => {
    isOver = true
  })
  while (!isOver && (await acknowledged(directory).catch(() => 0)) < pages)
    await new Promise(resolve => setTimeout(resolve, 100))
  command.process.kill('SIGINT')
  const late = new Promise<never>((_, reject) => {
    setTimeout(
      () => reject(new Error(`still there ${STOP_MS} ms after Ctrl-C: ${command.said()}`)),
      STOP_MS,
    ).unref()
  })
  return Promise.race([command.ended, late])
}

/** Sites in the ledger whose names begin so. */
function sitesKnown(directory: string, beginning: string): number {
  const db = new Database(join(directory, 'ledger.db'), { readonly: true })
  try {
    const count = db.prepare('SELECT count(*) FROM cell WHERE cell >= ? AND cell < ?').raw()
    return Number((count.get(beginning, `${beginning}~`) as number[])[0])
  } finally {
    db.close()
  }
}

it('a link farm does not exhaust the heap, Ctrl-C ends it, and every acknowledged page has its links in the ledger (P1, P11)', async () => {
  const out = temporary('crawl')
  const contact = ['--contact', 'https://example.org/']
  const args = ['crawl', 'http://start.test/', ...farm.flags, ...contact, '--out', out]
  const first = await untilStopped(args, out, PAGES)
  expect(first.code, first.stderr).toBe(11)
  const before = await urlsWith(out, 'OK')
  expect(before.length).toBeGreaterThanOrEqual(PAGES)

  const second = await untilStopped(['resume', out], out, before.length + 1)
  expect(second.code, second.stderr).toBe(11)
  const after = await urlsWith(out, 'OK')
  expect(after.length).toBeGreaterThan(before.length)
  expect(before.filter(url => !after.includes(url))).toEqual([])
  for (const url of after) expect(sitesKnown(out, farm.nameOf(new URL(url).host)), url).toBe(LINKS)
})
