/**
 * A real crawl on SQLite by two agents, killed and resumed: the simulator's checker sees no broken promise in
 * its history.
 */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { systemClock as clock } from '../../src/compose/index.js'
import { LEDGER_FILE, openSqliteLedger } from '../../src/ledger/sqlite/index.js'
import { type ServedRequest, WebPlan, WebServer } from '../../src/simulate/web/index.js'
import { auditSqlite, sqliteAudit } from '../kit/audit.js'
import { orbweaver, type RunningCommand, start, temporary } from '../kit/orbweaver.js'
import { impolite } from './politeness-violations.js'
import { storedPart, violationsOf } from './real-history.js'

const DELAY_MS = 20
const plan = new WebPlan({ sites: 12, pages: 600, sizes: Array.from({ length: 12 }, () => 50), seed: 4 })
const knobs = { latencyMs: 10, latencySpread: 0.95 }
const log: ServedRequest[] = []
let web: WebServer
let crawl: RunningCommand | null = null

beforeAll(async () => {
  web = await WebServer.listen(plan, { ...knobs, clock, port: 0, onServed: served => log.push(served) })
})
afterAll(async () => {
  crawl?.process.kill('SIGKILL')
  await web.close()
})

it('a crawl that is killed with pages that are not acknowledged, and resumed, breaks no promise', async () => {
  const out = temporary('crawl')
  const path = join(out, LEDGER_FILE)
  const flags = ['--scope', 'any', '--resolve', '*.test=127.0.0.1', '--contact', 'https://example.org/']
  const pace = ['--delay', String(DELAY_MS), '--rate', '100', '--agents', '2', '--lanes', '4']
  crawl = start(['crawl', web.seed, ...flags, ...pace, '--out', out])
  const until = async (isSo: () => boolean) => {
    for (; !isSo(); await sleep(5)) expect(crawl!.process.exitCode, crawl!.said()).toBeNull()
  }
  await until(() => web.counts().requests > 0)
  auditSqlite(path)
  await until(() => web.counts().requests > 0.5 * plan.pages)
  crawl.process.kill('SIGKILL')
  await crawl.ended
  expect((await orbweaver(['resume', out])).code).toBe(0)
  const audit = sqliteAudit(path)
  expect(new Set(audit.notes.map(({ kind }) => kind)).size).toBe(6)
  expect(log.length).toBeGreaterThan(plan.pages)
  const ledger = openSqliteLedger(path, { create: false, now: clock.now })
  const stored = await storedPart(out, await ledger.files())
  await ledger.close()
  const { authority } = web
  expect(violationsOf({ audit, log, plan, knobs, authority, delayMs: DELAY_MS, ...stored })).toEqual([])
  const apart = log.map((request, i) => ({ ...request, from: String(i) }))
  expect(impolite(apart, { delayMs: DELAY_MS, plan, knobs, authority })).toEqual([])
})
