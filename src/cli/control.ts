/** Commands that look at or steer a crawl from outside: status, set, stop, checkpoint. */
import { Command } from 'commander'
import type { HoldUp, Ledger } from '../cluster/index.js'
import {
  DirectoryLock,
  LIVE_SETTINGS,
  leaseNow,
  metricsNow,
  openLedger,
  readCrawlFile,
  readLiveSetting,
  systemClock,
} from '../compose/index.js'
import { ConfigError } from '../config/index.js'
import { sleep } from '../model/clock.js'
import { shellWord } from '../model/for-people.js'
import { agentLines, agentStates } from './agent-lines.js'
import { metricLines } from './metric-lines.js'
import { asideLines, duration, number, plural, SHOWN_SITES, size } from './summary.js'

const CHECKPOINT_LOOK_MS = 200
const CHECKPOINT_WAIT_MS = 120_000

export function statusCommand(): Command {
  return new Command('status')
    .argument('<dir>', 'directory of the crawl')
    .option(
      '--metrics',
      'overlap, coverage, quality, messages and the work of every lane so far; reads what is known of every URL',
    )
    .option('--json', 'as one JSON object')
    .action((directory: string, options: { json?: boolean; metrics?: boolean }) =>
      withLedger(directory, async ledger => {
        const totals = await ledger.totals()
        const { config } = readCrawlFile(directory)
        const metrics = options.metrics ? await metricsNow(ledger, totals, config) : null
        const settings = await ledger.settings()
        const running = isRunning(directory)
        const rows = running ? await ledger.agents() : []
        const waitingFor = waitingOf(rows)
        const { holdUps } = await ledger.health(leaseNow())
        const agents = agentStates(rows, systemClock.now())
        const parked = (await ledger.parked(SHOWN_SITES)).map(({ cell, ...rest }) => ({
          site: cell,
          ...rest,
        }))
        const text = options.json
          ? JSON.stringify({
              running,
              waitingFor,
              holdUps,
              ...totals,
              ...metrics,
              agents,
              setAside: parked,
              settings: liveOnly(settings),
            })
          : [
              ...statusLines(directory, running, totals, waitingFor),
              ...holdUps.map(holdUpLine),
              ...agentLines(agents),
              ...(metrics === null ? [] : metricLines(metrics)),
              ...asideLines(parked, totals.cells.parked, systemClock.now()).map(line => `  ${line}`),
              settingsLine(settings),
            ].join('\n')
        process.stdout.write(`${text}\n`)
      }),
    )
}

export function setCommand(): Command {
  const known = Object.entries(LIVE_SETTINGS).map(([name, { help }]) => `  ${name.padEnd(20)} ${help}`)
  return new Command('set')
    .argument('<dir>', 'directory of the crawl')
    .argument('<key=value...>', 'what to change')
    .addHelpText(
      'after',
      `\nSettings:\n${known.join('\n')}\n\nExample:\n  orbweaver set my-crawl delay=2000 rate=5`,
    )
    .action((directory: string, pairs: string[]) => {
      const values = Object.fromEntries(pairs.map(parsePair))
      return withLedger(directory, async ledger => {
        await ledger.set(values)
        process.stderr.write(
          isRunning(directory) ? 'set; the crawl takes it within a second\n' : 'set for the next resume\n',
        )
      })
    })
}

export function stopCommand(): Command {
  return new Command('stop').argument('<dir>', 'directory of the crawl').action((directory: string) =>
    withLedger(directory, async ledger => {
      needRunning(directory)
      await ledger.set({ stop: String(systemClock.now()) })
      process.stderr.write(`stopping; go on later with: orbweaver resume ${shellWord(directory)}\n`)
    }),
  )
}

export function checkpointCommand(): Command {
  return new Command('checkpoint').argument('<dir>', 'directory of the crawl').action((directory: string) =>
    withLedger(directory, async ledger => {
      needRunning(directory)
      const asked = String(systemClock.now())
      await ledger.set({ 'checkpoint.asked': asked })
      for (let waited = 0; waited < CHECKPOINT_WAIT_MS; waited += CHECKPOINT_LOOK_MS) {
        if ((await ledger.settings())['checkpoint.done'] === asked) {
          process.stderr.write(
            `checkpoint done: ${plural((await ledger.totals()).pages, 'page')} acknowledged\n`,
          )
          return
        }
        await sleep(systemClock, CHECKPOINT_LOOK_MS)
      }
      throw new ConfigError(`the crawl in ${directory} did not answer within ${CHECKPOINT_WAIT_MS / 1000} s`)
    }),
  )
}

async function withLedger(directory: string, task: (ledger: Ledger) => Promise<void>): Promise<void> {
  const ledger = await openLedger(directory, readCrawlFile(directory).config)
  try {
    await task(ledger)
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

function isRunning(directory: string): boolean {
  const lock = DirectoryLock.take(directory)
  lock?.release()
  return lock === null
}

function needRunning(directory: string): void {
  if (!isRunning(directory)) throw new ConfigError(`no crawl is running in ${directory}`)
}

function liveOnly(settings: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(settings).filter(([name]) => Object.hasOwn(LIVE_SETTINGS, name)))
}

/** What the agents last said they wait for. */
function waitingOf(agents: Awaited<ReturnType<Ledger['agents']>>): string {
  const said = agents.map(({ status }) => String((JSON.parse(status) as { waiting?: string }).waiting ?? ''))
  return said.filter(Boolean).join('; ')
}

function statusLines(
  directory: string,
  running: boolean,
  totals: Awaited<ReturnType<Ledger['totals']>>,
  waitingFor: string,
): string[] {
  const { cells } = totals
  const queued = totals.discovered - totals.settled + totals.backlog
  const state = running ? 'running' : totals.open ? 'stopped' : `ended (${totals.finishReason})`
  return [
    `${directory}: ${state}`,
    ...(waitingFor === '' ? [] : [`  waiting  ${waitingFor}`]),
    `  pages    ${number(totals.pages)} acknowledged, ${size(totals.bytes)}; ${number(queued)} URLs queued`,
    `  sites    ${number(cells.leased + cells.draining)} being crawled, ` +
      `${number(cells.waiting + cells.resting)} waiting, ` +
      `${number(cells.finished)} finished, ${number(cells.parked)} set aside`,
    ...totals.outcomes.map(({ code, count }) => `  ${number(count).padStart(8)} ${code}`),
  ]
}

/** Links that are acknowledged and cannot be read yet, because of somebody who may know nothing of us. */
function holdUpLine({ who, openMs }: HoldUp): string {
  return `  held up  new links cannot be read: a transaction is open since ${duration(openMs / 1000)} (${who})`
}

function settingsLine(settings: Readonly<Record<string, string>>): string {
  const live = Object.entries(liveOnly(settings)).filter(([, value]) => value !== '')
  return `  settings ${live.map(([name, value]) => `${name}=${value}`).join(' ')}`
}
