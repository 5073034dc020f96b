/**
 * The real crawls of `orbweaver experiment phases`: four nodes, with an address each, crawl a generated web.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock as clock, systemPlatform } from '../src/compose/index.js'
import { checkConfig } from '../src/config/index.js'
import type { Report } from '../src/report/index.js'
import type { Platform } from '../src/runtime/platform/index.js'
import { createSession } from '../src/runtime/session/index.js'
import { type ServedRequest, truth, WebPlan, WebServer } from '../src/simulate/web/index.js'
import { exclusionIn, PHASE_NODES, type PhaseCrawl, type PhaseCrawlChoices } from './phases/index.js'

/** The loopback address of the first node: the server tells nodes apart by their addresses. */
const FIRST_ADDRESS = 11

export async function crawlInPhases(choices: PhaseCrawlChoices): Promise<PhaseCrawl> {
  const { seed, sites, pages } = choices
  const plan = new WebPlan({ sites, pages, seed })
  const log: ServedRequest[] = []
  const web = await WebServer.listen(plan, { clock, port: 0, onServed: served => log.push(served) })
  const folder = mkdtempSync(join(tmpdir(), 'orbweaver-phases-'))
  try {
    const report = await crawled(choices, web, join(folder, 'crawl'))
    const expected = [...truth(plan, web.authority)].length
    return figures(choices, report, expected, log)
  } finally {
    await web.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function crawled(
  { periodMs, guardMs, skewMs }: PhaseCrawlChoices,
  web: WebServer,
  directory: string,
): Promise<Report> {
  const { plan, authority } = web
  const config = checkConfig({
    seeds: Array.from({ length: plan.sites }, (_, site) => plan.urlOf(site, 0, authority)),
    scope: 'any',
    assign: 'phases',
    agents: PHASE_NODES,
    phases: [`period=${periodMs / 1_000}`, `guard=${guardMs / 1_000}`],
    sourceAddress: Array.from({ length: PHASE_NODES }, (_, node) => `127.0.0.${FIRST_ADDRESS + node}`),
    delay: 0,
    resolve: ['*.test=127.0.0.1'],
    sitemap: ['none'],
    contact: 'https://example.org/experiment',
  })
  const isEven = (agent: string) => Number(/\d+$/.exec(agent)?.[0] ?? 0) % 2 === 0
  const platform: Platform = {
    ...systemPlatform,
    phaseSkewMs: agent => (isEven(agent) ? skewMs : -skewMs),
  }
  return createSession(platform, config, directory).run()
}

function figures(
  { skewMs }: PhaseCrawlChoices,
  report: Report,
  expected: number,
  log: readonly ServedRequest[],
): PhaseCrawl {
  const { pages, outcomes, seconds, agents, bytes, messages } = report
  const fullest = Math.max(...agents.map(agent => agent.pages))
  return {
    skewMs,
    pages,
    coverage: pages / expected,
    outcomes,
    seconds,
    pagesPerSecond: pages / seconds,
    megabytesPerSecond: bytes / seconds / 1e6,
    messages,
    imbalance: (fullest / (pages / agents.length) - 1) * 100,
    ...exclusionIn(log),
  }
}
