/** `orbweaver status`: how far a crawl is. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import { readTextFile } from '../files/index.js'
import type { Ledger, LongTransaction } from '../ledger/index.js'
import { number, plural, withoutControls } from '../model/index.js'
import { metricsNow, type Report } from '../report/index.js'
import type { FoundCrawl } from '../runtime/access/index.js'
import type { Platform } from '../runtime/platform/index.js'
import { REPORT_FILE } from '../runtime/session/index.js'
import { LIVE_SETTINGS } from '../runtime/settings/index.js'
import { examplesOf, isRunning, withLedgerToRead } from './crawl-ledger.js'
import { type AddressOptions, addressOf, againWith, withAddress } from './options/index.js'
import {
  agentLines,
  agentStates,
  asideLines,
  duration,
  metricLines,
  print,
  printJson,
  SHOWN_SITES,
  size,
  tell,
  waitingOf,
} from './output/index.js'

type StatusOptions = AddressOptions & { readonly json?: boolean; readonly metrics?: boolean }

export function statusCommand(platform: Platform): Command {
  return withAddress(new Command('status'), { store: false })
    .option(
      '--metrics',
      'also show overlap, coverage, quality, messages and the work of every lane; reads the state of every URL',
    )
    .option('--json', 'print one JSON object on stdout')
    .addHelpText('after', examplesOf('status'))
    .action((directory: string | undefined, options: StatusOptions) =>
      withLedgerToRead(
        platform,
        directory,
        options,
        (ledger, crawl) => showStatus(platform, ledger, crawl, options),
        crawl => showLastReport(crawl, options),
      ),
    )
}

async function showStatus(
  platform: Platform,
  ledger: Ledger,
  crawl: FoundCrawl,
  { json, metrics: wantsMetrics }: StatusOptions,
): Promise<void> {
  const totals = await ledger.totals()
  const metrics = wantsMetrics ? await metricsNow(ledger, totals, crawl.config) : null
  const settings = await ledger.settings()
  const running = await isRunning(platform, ledger, crawl)
  const rows = running ? await ledger.agents() : []
  const waitingFor = waitingOf(rows)
  const { longTransactions } = await ledger.health(platform.leaseMs)
  const agents = agentStates(rows)
  const parked = (await ledger.parked(SHOWN_SITES)).map(({ cell, ...rest }) => ({ site: cell, ...rest }))
  if (json) {
    const live = { setAside: parked, settings: liveOnly(settings) }
    return printJson({ running, waitingFor, longTransactions, ...totals, ...metrics, agents, ...live })
  }
  const lines = [
    ...statusLines(addressOf(crawl), running, totals, waitingFor),
    ...longTransactions.map(holdUpLine),
    ...agentLines(agents),
    ...(metrics === null ? [] : metricLines(metrics)),
    ...asideLines(parked, totals.cells.parked, platform.clock.now()).map(line => `  ${line}`),
    settingsLine(settings),
  ]
  print(lines.map(line => `${withoutControls(line)}\n`).join(''))
}

function liveOnly(settings: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(settings).filter(([name]) => Object.hasOwn(LIVE_SETTINGS, name)))
}

function statusLines(
  directory: string,
  running: boolean | null,
  totals: Awaited<ReturnType<Ledger['totals']>>,
  waitingFor: string,
): string[] {
  const { cells } = totals
  const queued = totals.discovered - totals.settled + totals.backlog
  const ended = totals.open ? 'stopped' : `ended (${totals.finishReason})`
  const state = running === null ? 'not trusted, read from a copy' : running ? 'running' : ended
  return [
    `${directory}: ${state}`,
    ...(waitingFor === '' ? [] : [`  waiting  ${waitingFor}`]),
    `  pages    ${number(totals.pages)} acknowledged, ${size(totals.bytes)}; ${number(queued)} URLs queued`,
    `  sites    ${number(cells.leased + cells.draining)} being crawled, ` +
      `${number(cells.waiting + cells.resting)} waiting, ` +
      `${number(cells.finished)} finished, ${number(cells.parked)} parked`,
    ...totals.outcomes.map(({ code, count }) => `  ${number(count).padStart(8)} ${code}`),
  ]
}

/** Acknowledged links that cannot be read yet, because some client of the database has a transaction open. */
function holdUpLine({ who, openMs }: LongTransaction): string {
  return `  held up  new links cannot be read: a transaction has been open for ${duration(openMs / 1000)} (${who})`
}

function settingsLine(settings: Readonly<Record<string, string>>): string {
  const live = Object.entries(liveOnly(settings)).filter(([, value]) => value !== '')
  return `  settings ${live.map(([name, value]) => `${name}=${value}`).join(' ')}`
}

/** What is shown of a crawl whose ledger is in a database that an untrusted directory names. */
function showLastReport(crawl: FoundCrawl, { json }: StatusOptions): void {
  const report = reportIn(crawl.directory ?? '')
  tell(
    `orbweaver: ${withoutControls(
      `${crawl.distrust}; its ledger ${crawl.config.ledger} was not contacted. If you trust it: orbweaver status ` +
        `${againWith(crawl)} --trust, or name the ledger yourself with --ledger and --name`,
    )}\n`,
  )
  if (json) printJson({ running: null, ledgerAsked: false, report })
  else
    print(
      `${withoutControls(addressOf(crawl))}: ${report === null ? 'no report of a run' : reportLine(report)}\n`,
    )
}

function reportLine({ finishReason, endedAt, pages }: Report): string {
  const count = typeof pages === 'number' ? plural(pages, 'page') : 'unknown'
  return withoutControls(`last report: ${finishReason}, ${endedAt}, ${count}`)
}

/** Null when there is none, or it cannot be read. */
function reportIn(directory: string): Report | null {
  const path = join(directory, REPORT_FILE)
  if (!existsSync(path)) return null
  try {
    return JSON.parse(readTextFile(path)) as Report
  } catch {
    return null
  }
}
