/**
 * A crawl by four agents, each on its own loopback address, whose process and threads are ended and frozen at
 * the worst moments: while a pack's bytes are on disk and its commit is not in the ledger. What holds
 * afterwards is read from the server's log, the tables and the archive, by code that shares nothing with the
 * crawler.
 */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'libsql'
import { expect } from 'vitest'
import { systemClock } from '../../src/compose/index.js'
import { type ServedRequest, truth, WebPlan, WebServer } from '../../src/simulate/web/index.js'
import { checkWarcs, urlsWith } from '../kit/crawled.js'
import { orbweaver, type RunningCommand, start, temporary } from '../kit/orbweaver.js'
import { impolite } from './politeness-violations.js'
import { agentsAtWork, deaths, lateLinks, strayBytes, thawed } from './traces.js'

/**
 * kill: the whole process, then resume. thread: that of an agent whose pack is uncommitted. freeze: such an
 * agent stands still until another has brought pages of its sites. finish: links are hidden until a site with
 * some was to be finished.
 */
type Fault = 'kill' | 'thread' | 'freeze' | 'finish'

export interface Trial {
  readonly seed: number
  readonly sites: number
  readonly pages: number
  /** Pages of each site; a power law where it is not said. */
  readonly sizes?: readonly number[]
  /**
   * Of each agent: three cannot take all sites, so none is left without work; and they have room for those of
   * a fourth.
   */
  readonly lanes: number
  readonly faults: readonly Fault[]
  /** Requests between two faults. */
  readonly step: number
  /** Of the servers, on average. */
  readonly latencyMs: number
  /** That of the largest site, until all is over that has to befall the crawl: it must not end before. */
  readonly slowestMs: number
  readonly deadlineMs: number
}

export interface TrialFigures {
  readonly pages: number
  readonly requests: number
  readonly refetches: number
  readonly staleCommits: number
  readonly refusedFinishes: number
  readonly deaths: number
  readonly agents: number
}

const AGENTS = 4
const DELAY_MS = 20
const LEASE_MS = 6_000
/** Of a harm that came to nothing. */
const MOST_TRIES = 3
/**
 * From sites that answer at once, where the delay is all that there is between two requests, to slow ones.
 */
const LATENCY_SPREAD = 0.95

export async function runTrial(trial: Trial): Promise<TrialFigures> {
  const plan = new WebPlan(trial)
  const knobs = { latencyMs: trial.latencyMs, latencySpread: LATENCY_SPREAD }
  const slowSites = new Map([[largestOf(plan), trial.slowestMs]])
  const log: ServedRequest[] = []
  const server = await WebServer.listen(plan, {
    ...knobs,
    slowSites,
    clock: systemClock,
    port: 0,
    onServed: request => log.push(request),
  })
  const expected = [...truth(plan, server.authority)].sort()
  const out = temporary('crawl')
  try {
    const crawl = await crawlThrough(trial, server, out)
    slowSites.clear()
    const end = await crawl.ended
    expect(end.code, end.stderr).toBe(0)
  } finally {
    await server.close()
  }
  expect((await urlsWith(out, 'OK')).sort()).toEqual(expected)
  const check = await checkWarcs(out)
  expect(check.problems).toEqual([])
  expect([...check.pages].sort()).toEqual(expected)
  const said = await orbweaver(['status', out, '--json'])
  expect(JSON.parse(said.stdout)).toMatchObject({ pages: expected.length, backlog: 0, finishReason: 'done' })
  expect(impolite(log, { delayMs: DELAY_MS, plan, knobs, authority: server.authority })).toEqual([])
  const { requests, repeats: refetches } = server.counts()
  const staleCommits = thawed(out).filter(answer => answer === 'stale').length
  return {
    pages: expected.length,
    requests,
    refetches,
    staleCommits,
    refusedFinishes: lateLinks(out),
    deaths: deaths(out),
    agents: agentsAtWork(out),
  }
}

/** Everything that the crawl went through is seen in the figures. */
export function expectFault(trial: Trial, figures: TrialFigures): void {
  const given = (fault: Fault) => trial.faults.filter(each => each === fault).length
  expect(figures.refetches, 'pages fetched again').toBeGreaterThan(0)
  expect(figures.staleCommits, 'refused stale commits').toBeGreaterThan(0)
  expect(figures.refusedFinishes, 'refused finishes').toBeGreaterThan(0)
  expect(figures.deaths, 'agents that died alone').toBeGreaterThanOrEqual(given('thread'))
  expect(figures.agents, 'agents that brought pages').toBe(AGENTS)
}

function largestOf(plan: WebPlan): number {
  const sites = Array.from({ length: plan.sites }, (_, site) => site)
  return sites.sort((a, b) => plan.sizeOf(b) - plan.sizeOf(a))[0]
}

/** Resolves when all faults are over, with the process that goes on. */
async function crawlThrough(trial: Trial, server: WebServer, out: string): Promise<RunningCommand> {
  const injectedFaults = temporary('harms')
  const env = { ORBWEAVER_FAULTS: `drop-notices,lease=${LEASE_MS},inject=${injectedFaults}` }
  let crawl = start([...ask(trial, server), '--out', out], env)
  const isSo = (what: string, look: () => boolean) => until(what, look, crawl, trial.deadlineMs)
  for (const fault of trial.faults) {
    const { requests } = server.counts()
    await isSo(
      'requests',
      () => existsSync(join(out, 'ledger.db')) && server.counts().requests > requests + trial.step,
    )
    if (fault === 'kill') {
      await killUncommitted(crawl, out, isSo)
      crawl = start(['resume', out], env)
    } else {
      writeFileSync(injectedFaults, fault === 'thread' ? 'kill' : fault)
      await injectFault(fault, crawl, out, isSo)
    }
  }
  return crawl
}

function ask(trial: Trial, server: WebServer): string[] {
  const sources = Array.from({ length: AGENTS }, (_, i) => ['--source-address', `127.0.0.${11 + i}`]).flat()
  const web = ['--scope', 'any', '--resolve', '*.test=127.0.0.1', '--contact', 'https://example.org/']
  const agentPool = ['--agents', String(AGENTS), '--lanes', String(trial.lanes), '--delay', String(DELAY_MS)]
  return ['crawl', server.seed, ...web, ...sources, ...agentPool]
}

type Look = (what: string, look: () => boolean) => Promise<void>

async function killUncommitted(crawl: RunningCommand, out: string, isSo: Look): Promise<void> {
  const ledger = new Database(join(out, 'ledger.db'), { timeout: 10_000 })
  // The instant: a pack's bytes are on disk, and its commit waits for us.
  ledger.exec('BEGIN IMMEDIATE')
  await isSo('bytes that no pack knows of', () => strayBytes(out, ledger) > 0)
  crawl.process.kill('SIGKILL')
  expect((await crawl.ended).signal, crawl.said()).toBe('SIGKILL')
  expect(strayBytes(out, ledger)).toBeGreaterThan(0)
  ledger.exec('ROLLBACK')
  ledger.close()
}

/** Asks for harm and waits until it is done. */
async function injectFault(
  fault: Exclude<Fault, 'kill'>,
  crawl: RunningCommand,
  out: string,
  isSo: Look,
  tries = MOST_TRIES,
): Promise<void> {
  const before = { deaths: deaths(out), lateLinks: lateLinks(out), thawed: thawed(out).length }
  crawl.process.kill('SIGUSR2')
  if (fault === 'thread') return isSo('an agent that dies', () => deaths(out) > before.deaths)
  if (fault === 'finish') return isSo('a refused finish', () => lateLinks(out) > before.lateLinks)
  await isSo('an agent that goes on', () => thawed(out).length > before.thawed)
  // On a busy machine nobody may have taken its sites, or its whole life may have been closed.
  if (thawed(out).at(-1) !== 'stale' && tries > 1) return injectFault(fault, crawl, out, isSo, tries - 1)
}

async function until(
  what: string,
  isSo: () => boolean,
  command: RunningCommand,
  deadlineMs: number,
): Promise<void> {
  for (let waited = 0; !isSo(); waited += 5) {
    await new Promise(resolve => setTimeout(resolve, 5))
    const { exitCode, signalCode } = command.process
    if (exitCode !== null || signalCode !== null)
      throw new Error(`it ended while waiting for ${what}: ${command.said()}`)
    if (waited > deadlineMs) throw new Error(`waiting for ${what}: ${command.said()}`)
  }
}
