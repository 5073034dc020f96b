/** Commands that look at or steer a crawl from outside: status, set, stop, checkpoint. */
import { join } from 'node:path'
import { Command } from 'commander'
import {
  type FoundCrawl,
  hasRunningAgents,
  leaseNow,
  needTrusted,
  openLedger,
  systemClock,
} from '../compose/index.js'
import { ConfigError } from '../config/index.js'
import type { Ledger, LongTransaction } from '../ledger/index.js'
import { LEDGER_FILE, withLedgerCopy } from '../ledger/sqlite/index.js'
import { sleep, withoutControls } from '../model/index.js'
import { metricsNow } from '../report/index.js'
import { DirectoryLock, LIVE_SETTINGS, readLiveSetting } from '../runtime/index.js'
import { agentLines, agentStates, waitingOf } from './agent-lines.js'
import { type AddressOptions, addressOf, againWith, crawlAt, withAddress } from './crawl-address.js'
import { showLastReport } from './last-report.js'
import { metricLines } from './metric-lines.js'
import { print, printJson, tell } from './output.js'
import { asideLines, duration, number, plural, SHOWN_SITES, size } from './summary.js'

const CHECKPOINT_LOOK_MS = 200
const CHECKPOINT_WAIT_MS = 120_000

export function statusCommand(): Command {
  return withAddress(new Command('status'), { store: false })
    .option(
      '--metrics',
      'also show overlap, coverage, quality, messages and the work of every lane; reads the state of every URL',
    )
    .option('--json', 'print one JSON object on stdout')
    .addHelpText('after', examples('status'))
    .action(
      (directory: string | undefined, options: AddressOptions & { json?: boolean; metrics?: boolean }) =>
        withLedger(
          directory,
          options,
          async (ledger, crawl) => {
            const totals = await ledger.totals()
            const metrics = options.metrics ? await metricsNow(ledger, totals, crawl.config) : null
            const settings = await ledger.settings()
            const running = await isRunning(ledger, crawl)
            const rows = running ? await ledger.agents() : []
            const waitingFor = waitingOf(rows)
            const { longTransactions } = await ledger.health(leaseNow())
            const agents = agentStates(rows)
            const parked = (await ledger.parked(SHOWN_SITES)).map(({ cell, ...rest }) => ({
              site: cell,
              ...rest,
            }))
            if (options.json) {
              const live = { setAside: parked, settings: liveOnly(settings) }
              return printJson({
                running,
                waitingFor,
                longTransactions,
                ...totals,
                ...metrics,
                agents,
                ...live,
              })
            }
            const lines = [
              ...statusLines(addressOf(crawl), running, totals, waitingFor),
              ...longTransactions.map(holdUpLine),
              ...agentLines(agents),
              ...(metrics === null ? [] : metricLines(metrics)),
              ...asideLines(parked, totals.cells.parked, systemClock.now()).map(line => `  ${line}`),
              settingsLine(settings),
            ]
            print(lines.map(line => `${withoutControls(line)}\n`).join(''))
          },
          'look',
        ),
    )
}

export function setCommand(): Command {
  const known = Object.entries(LIVE_SETTINGS).map(([name, { help }]) => `  ${name.padEnd(20)} ${help}`)
  return withAddress(new Command('set'), { store: false })
    .argument('[key=value...]', 'settings and their new values')
    .addHelpText(
      'after',
      `\nSettings:\n${known.join('\n')}\n\nExamples:
  orbweaver set my-crawl delay=2000 rate=5
  orbweaver set --ledger postgres://crawler@db1/crawls --name example rate=5`,
    )
    .action((first: string | undefined, others: string[], options: AddressOptions) => {
      // Named by its ledger it has no directory, and all that is said is what to change.
      const isNamed = options.ledger !== undefined && first !== undefined
      const [directory, pairs] = isNamed ? [undefined, [first, ...others]] : [first, others]
      if (pairs.length === 0) throw new ConfigError('name at least one setting: KEY=VALUE')
      const values = Object.fromEntries(pairs.map(parsePair))
      return withLedger(directory, options, async (ledger, crawl) => {
        await ledger.set(values)
        tell(
          (await isRunning(ledger, crawl))
            ? 'set; takes effect within a second\n'
            : 'set; takes effect at the next resume\n',
        )
      })
    })
}

export function stopCommand(): Command {
  return withAddress(new Command('stop'), { store: false })
    .addHelpText('after', examples('stop'))
    .action((directory: string | undefined, options: AddressOptions) =>
      withLedger(directory, options, async (ledger, crawl) => {
        await needRunning(ledger, crawl)
        await ledger.set({ stop: String(systemClock.now()) })
        tell(`stopping; to continue later: orbweaver resume ${againWith(crawl)}\n`)
      }),
    )
}

export function checkpointCommand(): Command {
  return withAddress(new Command('checkpoint'), { store: false })
    .addHelpText('after', examples('checkpoint'))
    .action((directory: string | undefined, options: AddressOptions) =>
      withLedger(directory, options, async (ledger, crawl) => {
        await needRunning(ledger, crawl)
        const asked = String(systemClock.now())
        await ledger.set({ 'checkpoint.asked': asked })
        for (let waited = 0; waited < CHECKPOINT_WAIT_MS; waited += CHECKPOINT_LOOK_MS) {
          if ((await ledger.settings())['checkpoint.done'] === asked) {
            tell(`checkpoint done: ${plural((await ledger.totals()).pages, 'page')} acknowledged\n`)
            return
          }
          await sleep(systemClock, CHECKPOINT_LOOK_MS)
        }
        throw new ConfigError(`${addressOf(crawl)} did not answer within ${CHECKPOINT_WAIT_MS / 1000} s`)
      }),
    )
}

function examples(command: string): string {
  return `\nExamples:
  orbweaver ${command} my-crawl
  orbweaver ${command} --ledger postgres://crawler@db1/crawls --name example`
}

async function withLedger(
  directory: string | undefined,
  options: AddressOptions & { readonly json?: boolean },
  task: (ledger: Ledger, crawl: FoundCrawl) => Promise<void>,
  purpose: 'look' | 'steer' = 'steer',
): Promise<void> {
  const crawl = await crawlAt(directory, options)
  if (isForeign(crawl)) {
    if (purpose === 'steer') return needTrusted(crawl)
    if (crawl.there) return showLastReport(crawl, options)
    // The file of --truth may be any file of this machine.
    const config = { ...crawl.config, truth: undefined }
    const path = join(crawl.directory ?? '', LEDGER_FILE)
    return withLedgerCopy(path, systemClock.now, ledger => task(ledger, { ...crawl, config }))
  }
  const ledger = await openLedger(crawl.directory, crawl.config, purpose === 'look' ? 'read' : 'write')
  try {
    await task(ledger, crawl)
  } finally {
    await ledger.close()
  }
}

function parsePair(pair: string): [string, string] {
  const equals = pair.indexOf('=')
  if (equals < 1) throw new ConfigError(`"${pair}" is not KEY=VALUE`)
  const [name, value] = [pair.slice(0, equals), pair.slice(equals + 1)]
  return [name, readLiveSetting(name, value)]
}

/** A directory that is not trusted: its ledger is not written, and one in a database is not asked. */
function isForeign({ distrust, isNamedByLedger }: FoundCrawl): boolean {
  return distrust !== null && !isNamedByLedger
}

/** Null when it cannot be told: to ask for the lock of a directory from elsewhere would write there. */
async function isRunning(ledger: Ledger, crawl: FoundCrawl): Promise<boolean | null> {
  const { there, directory } = crawl
  if (isForeign(crawl)) return null
  if (there || directory === null) return hasRunningAgents(ledger)
  const lock = DirectoryLock.take(directory)
  lock?.release()
  return lock === null
}

async function needRunning(ledger: Ledger, crawl: FoundCrawl): Promise<void> {
  if (await isRunning(ledger, crawl)) return
  throw new ConfigError(
    crawl.directory === null
      ? `the crawl "${crawl.name}" is not running`
      : `no crawl is running in ${crawl.directory}`,
  )
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

/** Links that are acknowledged and cannot be read yet, because of somebody who may know nothing of us. */
function holdUpLine({ who, openMs }: LongTransaction): string {
  return `  held up  new links cannot be read: a transaction has been open for ${duration(openMs / 1000)} (${who})`
}

function settingsLine(settings: Readonly<Record<string, string>>): string {
  const live = Object.entries(liveOnly(settings)).filter(([, value]) => value !== '')
  return `  settings ${live.map(([name, value]) => `${name}=${value}`).join(' ')}`
}
