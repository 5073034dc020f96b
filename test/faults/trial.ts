/**
 * A crawl by four agents, each on its own loopback address, whose process and threads are ended and frozen at the worst
 * moments: while a pack's bytes are on disk and its commit is not in the ledger. What holds afterwards is read from the
 * server's log, the tables and the archive, by code that shares nothing with the crawler.
 */
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'libsql'
import { expect } from 'vitest'
import { systemClock } from '../../src/compose/system.js'
import { type ServedRequest, truth, WebPlan, WebServer } from '../../src/simulate/web/index.js'
import { checkWarcs, urlsWith } from '../kit/crawled.js'
import { orbweaver, type RunningCommand, start, temporary } from '../kit/orbweaver.js'

export interface Trial {
  readonly seed: number
  readonly sites: number
  readonly pages: number
  /** kill: the whole process, then resume. thread: one agent's thread ends. freeze: one stands still beyond its lease. */
  readonly faults: readonly ('kill' | 'thread' | 'freeze')[]
  /** Of the server: a crawl has to last long enough for all that befalls it. */
  readonly latencyMs: number
  readonly deadlineMs: number
  /** So many pages and faults that all agents have some, and some lead to refused packs and finishes; else chance decides. */
  readonly showsRefusals: boolean
}

const AGENTS = 4
const DELAY_MS = 20
const LEASE_MS = 4_000
const FREEZE_MS = 6_000
/** What two looks at a clock on a busy machine may differ by. */
const GRAIN_MS = 2

export async function runTrial(trial: Trial): Promise<void> {
  const plan = new WebPlan({ sites: trial.sites, pages: trial.pages, seed: trial.seed })
  const log: ServedRequest[] = []
  const server = await WebServer.listen(plan, {
    clock: systemClock,
    port: 0,
    latencyMs: trial.latencyMs,
    onServed: request => log.push(request),
  })
  const expected = [...truth(plan, server.authority)].sort()
  const out = temporary('crawl')
  try {
    await crawlThrough(trial, server, out)
  } finally {
    await server.close()
  }
  expect((await urlsWith(out, 'OK')).sort()).toEqual(expected)
  const check = await checkWarcs(out)
  expect(check.problems).toEqual([])
  expect([...check.pages].sort()).toEqual(expected)
  const said = await orbweaver(['status', out, '--json'])
  expect(JSON.parse(said.stdout)).toMatchObject({ pages: expected.length, backlog: 0, finishReason: 'done' })
  expect(impolite(log)).toEqual([])
  const shown = refusals(out)
  expect(server.counts().repeats, 'pages fetched again').toBeGreaterThan(0)
  if (trial.showsRefusals) {
    expect(shown.stalePacks, 'refused stale commits').toBeGreaterThan(0)
    expect(shown.refusedFinishes, 'refused finishes').toBeGreaterThan(0)
    expect(shown.agents).toBe(AGENTS)
  }
  expect(shown.agents).toBeGreaterThan(1)
}

async function crawlThrough(trial: Trial, server: WebServer, out: string): Promise<void> {
  const harms = trial.faults.flatMap(fault =>
    fault === 'thread' ? ['kill'] : fault === 'freeze' ? [`freeze=${FREEZE_MS}`] : [],
  )
  let given = 0
  const env = () => ({
    ORBWEAVER_FAULTS: ['deaf', `lease=${LEASE_MS}`, ...harms.slice(given), ...harms.slice(0, given)].join(
      ',',
    ),
  })
  const sources = Array.from({ length: AGENTS }, (_, i) => ['--source-address', `127.0.0.${11 + i}`]).flat()
  const flags = ['--scope', 'any', '--resolve', '*.test=127.0.0.1', '--contact', 'https://example.org/']
  const ask = ['crawl', server.seed, ...flags, ...sources]
  let crawl = start([...ask, '--agents', String(AGENTS), '--delay', String(DELAY_MS), '--out', out], env())
  for (const [i, fault] of trial.faults.entries()) {
    const { requests } = server.counts()
    const step = trial.pages / (3 * trial.faults.length)
    await until(
      () => existsSync(join(out, 'ledger.db')) && server.counts().requests > requests + step,
      crawl,
      trial,
    )
    if (fault === 'freeze') {
      // Nothing is held up meanwhile: what it then commits belongs to others.
      crawl.process.kill('SIGUSR2')
      given++
      await new Promise(resolve => setTimeout(resolve, FREEZE_MS + 1_000))
      continue
    }
    const ledger = new Database(join(out, 'ledger.db'), { timeout: 10_000 })
    // The instant: a pack's bytes are on disk, and its commit waits for us.
    ledger.exec('BEGIN IMMEDIATE')
    await until(() => strayBytes(out, ledger) > 0, crawl, trial)
    crawl.process.kill(fault === 'kill' ? 'SIGKILL' : 'SIGUSR2')
    if (fault === 'kill') expect((await crawl.ended).signal, `fault ${i}: ${crawl.said()}`).toBe('SIGKILL')
    else given++
    ledger.exec('ROLLBACK')
    ledger.close()
    if (fault === 'kill') crawl = start(['resume', out], env())
  }
  const end = await crawl.ended
  expect(end.code, end.stderr).toBe(0)
}

async function until(isSo: () => boolean, command: RunningCommand, trial: Trial): Promise<void> {
  for (let waited = 0; !isSo(); waited += 5) {
    await new Promise(resolve => setTimeout(resolve, 5))
    if (command.process.exitCode !== null) throw new Error(`it ended too early: ${command.said()}`)
    if (waited > trial.deadlineMs) throw new Error(`nothing happens any more: ${command.said()}`)
  }
}

/** Bytes of the archive that no committed pack knows of. */
function strayBytes(out: string, ledger: Database.Database): number {
  const rows = ledger.prepare('SELECT name, bytes FROM file').raw().all() as [string, number][]
  const known = new Map(rows)
  const folder = join(out, 'archive')
  const excess = (name: string) => statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0
  return readdirSync(folder)
    .filter(name => name.includes('.warc'))
    .reduce(
      (sum, name) =>
        sum + Math.max(0, excess(name) - (known.get(`archive/${name.replace(/\.open$/, '')}`) ?? 0)),
      0,
    )
}

/** Two agents on a site at once, or two requests within the delay; the attempts of a robots procedure count as one. */
function impolite(log: readonly ServedRequest[]): string[] {
  const last = new Map<string, ServedRequest>()
  const problems: string[] = []
  for (const request of [...log].sort((a, b) => a.startMs - b.startMs)) {
    const before = last.get(request.site)
    last.set(request.site, request)
    if (!before) continue
    const gap = Math.round(request.startMs - before.startMs)
    const what = `${request.site}: ${request.target} from ${request.from} ${gap} ms after ${before.target} from ${before.from}`
    if (request.from !== before.from && request.startMs < before.endMs) problems.push(`at once: ${what}`)
    const isProcedure = request.target === '/robots.txt' && before.target === '/robots.txt'
    if (gap < DELAY_MS - GRAIN_MS && !isProcedure) problems.push(`too soon: ${what}`)
  }
  return problems
}

/** What the agents' lives counted, as their last words in the ledger say. */
function refusals(out: string): { stalePacks: number; refusedFinishes: number; agents: number } {
  const ledger = new Database(join(out, 'ledger.db'))
  const [stalePacks, refusedFinishes, agents] = ledger
    .prepare(
      `SELECT sum(coalesce(status ->> 'stalePacks', 0)), sum(coalesce(status ->> 'refusedFinishes', 0)),
         count(DISTINCT name) FROM agent WHERE lanes > 0 AND pages > 0`,
    )
    .raw()
    .get() as [number, number, number]
  ledger.close()
  return { stalePacks, refusedFinishes, agents }
}
