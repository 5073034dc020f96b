/**
 * The ledger on PostgreSQL: links exchanged by four writers, leases of fifty agents, and what a crawl costs
 * in all, the database included, beside the same crawl on SQLite. The server is a real one, with fsync, on
 * this machine.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock as clock } from '../src/compose/index.js'
import type { Append, Ledger } from '../src/ledger/index.js'
import { openPostgresLedger } from '../src/ledger/postgres/index.js'
import { type PostgresPlace, readPostgresUrl } from '../src/model/url/index.js'
import { WebPlan, WebServer } from '../src/simulate/web/index.js'
import { PostgresServer } from '../test/kit/postgres.js'
import { cpuSecondsOf } from './measure/cpu-of.js'
import { runMeasured } from './measure/measured-child.js'
import { ORBWEAVER } from './paths.js'
import { markdownTable } from './report/markdown.js'

const ROUNDS = Number(process.argv[2] ?? 3)
const DEADLINE_SECONDS = 300
const WEB = { sites: 60, pages: 30_000, seed: 1 }
const WRITERS = 4
const BATCHES = 30
/** Links of a pack: to so many sites, so many each. */
const TARGETS = 250
const LINKS_EACH = 20
const SITES = 4_000
const AGENTS = 50
const CELLS = 25_000
const LEASE_MS = 60_000
const MOST_RATIO = 1.3
const LEAST_LINKS = 100_000
const LEAST_LEASES = 100_000
const FLAGS = '--resolve *.test=127.0.0.1 --delay 0 --scope any --contact https://example.org/'.split(' ')

function batch(writer: number, number: number): Append[] {
  return Array.from({ length: TARGETS }, (_, i) => {
    const cell = `s${(i * 16 + number * 7 + writer * 4) % SITES}.example`
    const rows = Array.from({ length: LINKS_EACH }, (_, link) => ({
      url: `http://${cell}/a/path/of/usual/length-${writer}-${number}-${link}.html`,
      depth: 3,
      hops: 0,
      score: 0,
      via: `http://from${writer}.example/a/page-${number}.html`,
    }))
    return { cell, group: cell, rows }
  })
}

/** Links a second that four writers append, each on connections of its own. */
async function exchange(open: () => Promise<Ledger>): Promise<number> {
  const ledgers = await Promise.all(Array.from({ length: WRITERS }, open))
  const packs = ledgers.map((_, writer) => Array.from({ length: BATCHES }, (_, i) => batch(writer, i)))
  const since = performance.now()
  await Promise.all(
    ledgers.map(async (ledger, writer) => {
      for (const appends of packs[writer]!) await ledger.append(appends)
    }),
  )
  const seconds = (performance.now() - since) / 1_000
  await Promise.all(ledgers.map(ledger => ledger.close()))
  return (WRITERS * BATCHES * TARGETS * LINKS_EACH) / seconds
}

/** Leases a minute: granted to fifty agents as a coordinator does it, and renewed by their heartbeats. */
async function leases(ledger: Ledger): Promise<number> {
  const rows = [{ url: 'http://x.example/', depth: 0, hops: 0, score: 0, via: '' }]
  const cells = Array.from({ length: CELLS }, (_, i) => ({
    cell: `l${i}.example`,
    group: `l${i}.example`,
    rows,
  }))
  await ledger.append(cells)
  const incarnations: number[] = []
  for (let i = 0; i < AGENTS; i++) incarnations.push(await ledger.join(`agent-${i}`, CELLS / AGENTS))
  const since = performance.now()
  const share = CELLS / AGENTS / 5
  let granted = 0
  while (granted < CELLS) {
    const waiting = (await ledger.waiting(AGENTS * share)).map(({ cell }) => cell)
    const grants = incarnations.map((incarnation, i) =>
      ledger.grant(incarnation, waiting.slice(i * share, (i + 1) * share), LEASE_MS, 0),
    )
    for (const some of await Promise.all(grants)) granted += some.length
  }
  const beats = await Promise.all(
    incarnations.map(incarnation => ledger.heartbeat(incarnation, LEASE_MS, '{}')),
  )
  const renewed = beats.reduce((sum, { held }) => sum + held.length, 0)
  return (Math.min(granted, renewed) / (performance.now() - since)) * 60_000
}

async function crawl(seed: string, server: PostgresServer, name: string | null): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'orbweaver-cluster-'))
  try {
    const out = join(folder, 'crawl')
    const ledger = name === null ? [] : ['--ledger', server.url(), '--name', name]
    const before = cpuSecondsOf(server.pid)
    const command = [process.execPath, ORBWEAVER, 'crawl', seed, ...FLAGS, ...ledger, '--out', out]
    const usage = await runMeasured(command, DEADLINE_SECONDS)
    if (usage.exitCode !== 0) throw new Error(`exit code ${usage.exitCode}: ${usage.stderr}`)
    const { pages } = JSON.parse(await readFile(join(out, 'report.json'), 'utf8')) as { pages: number }
    const there = name === null ? 0 : cpuSecondsOf(server.pid) - before
    const cpuMicros = ((usage.cpuSeconds + there) * 1e6) / pages
    console.error(
      `${name ?? 'SQLite'}: ${pages} pages, ${cpuMicros.toFixed(0)} us a page, ${there.toFixed(1)} s of them in PostgreSQL`,
    )
    return cpuMicros
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!
}

async function main(): Promise<void> {
  const server = await PostgresServer.start({ fsync: true })
  // Of its own: the other one goes on vacuuming a million links, which no crawl has brought.
  const crawls = await PostgresServer.start({ fsync: true })
  const web = await WebServer.listen(new WebPlan(WEB), { clock, port: 0 })
  try {
    const place = readPostgresUrl(server.url()) as PostgresPlace
    const open = (crawl: string, create: boolean) => openPostgresLedger({ place, crawl, create, clock })
    const ledger = await open('exchange', true)
    const links = await exchange(() => open('exchange', false))
    const granted = await leases(ledger)
    await ledger.close()
    const pairs: (readonly [number, number])[] = []
    for (let i = 0; i < ROUNDS; i++)
      pairs.push([await crawl(web.seed, crawls, null), await crawl(web.seed, crawls, `crawl ${i}`)])
    const ratio = median(pairs.map(([sqlite, postgres]) => postgres / sqlite))
    const verdict = (isMet: boolean) => (isMet ? 'met' : '**missed**')
    const round = (value: number) => Math.round(value).toLocaleString('en')
    const [sqlite, postgres] = [median(pairs.map(([a]) => a)), median(pairs.map(([, b]) => b))]
    const costs = `${ratio.toFixed(2)}x (${postgres.toFixed(0)} us beside ${sqlite.toFixed(0)}), median of ${ROUNDS} pairs`
    const rows = [
      [
        `links from ${WRITERS} writers: at least ${round(LEAST_LINKS)} a second`,
        round(links),
        verdict(links >= LEAST_LINKS),
      ],
      [
        `leases granted and renewed, ${AGENTS} agents: at least ${round(LEAST_LEASES)} a minute`,
        round(granted),
        verdict(granted >= LEAST_LEASES),
      ],
      [
        `CPU per page, PostgreSQL included: at most ${MOST_RATIO}x that of SQLite`,
        costs,
        verdict(ratio <= MOST_RATIO),
      ],
    ]
    console.log(markdownTable(['target', 'measured', 'verdict'], rows))
  } finally {
    await web.close()
    await server.remove()
    await crawls.remove()
  }
}

await main()
