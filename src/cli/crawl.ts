/** `orbweaver crawl` and `orbweaver resume`. */
import { Command } from 'commander'
import {
  boundHeap,
  type CrawlSession,
  createSession,
  defaultDirectory,
  resumeSession,
  systemClock,
} from '../compose/index.js'
import { ConfigError, type CrawlConfig, FIELDS, loadConfig, variableOf } from '../config/index.js'
import type { Report } from '../report/index.js'
import type { Say } from './commands.js'
import { type AddressOptions, crawlAt, readListen, withAddress } from './crawl-address.js'
import { crawlOptions, headingOf, withGroupedHelp } from './crawl-options.js'
import { EXIT } from './exit-codes.js'
import { printJson, tell } from './output.js'
import { ProgressDisplay } from './progress.js'
import { onEndSignal } from './signals.js'
import { summaryOf } from './summary.js'

export function crawlCommand(say: Say): Command {
  const command = new Command('crawl').argument('[url...]', 'seeds: the URLs to start from')
  for (const { group, option } of crawlOptions()) command.addOption(option.helpGroup(headingOf(group)))
  return withGroupedHelp(command)
    .addHelpText('after', HELP)
    .action(async (urls: string[], options: Record<string, unknown>) => {
      const { config: file, json, store, listen, trust, helpAll: _, ...flags } = options
      if (store !== undefined && flags.out !== undefined && store !== flags.out)
        throw new ConfigError('--store and --out are the same: give one of them')
      const config = loadConfig({
        flags: { ...flags, out: flags.out ?? store, seeds: urls.length > 0 ? urls : undefined },
        environment: process.env,
        file: file as string | undefined,
      })
      const directory = config.out ?? defaultDirectory(config, systemClock.now())
      const session = createSession(config, directory, {
        listen: readListen(listen as string | undefined),
        trust: trust === true,
      })
      warn(config)
      say(await watch(session, directory, json === true))
    })
}

export function resumeCommand(say: Say): Command {
  return withAddress(new Command('resume'), { store: true })
    .option('--robots <mode>', 'strict, rfc9309 or ignore, for this run (default: the setting of the crawl)')
    .option(
      '--agents <n>',
      'number of agents in this process, for this run (default: the setting of the crawl)',
    )
    .option(
      '--lanes <n>',
      'number of sites that one agent crawls at the same time, for this run (default: the setting of the crawl)',
    )
    .option(
      '--restored',
      'the ledger was restored from a backup that is older than the directory: move files that it does not list to quarantine/ and fetch their pages again',
    )
    .option('--json', 'print the report as one JSON object on stdout')
    .addHelpText('after', RESUME_HELP)
    .action(async (directory: string | undefined, options: ResumeOptions) => {
      const crawl = await crawlAt(directory, options, 'resume')
      if (crawl.directory === null)
        throw new ConfigError(
          `the store of "${crawl.name}" is not visible on this machine; give its path with --store`,
        )
      const session = resumeSession(crawl.directory, {
        robots: changed('robots', options.robots),
        agents: changed('agents', options.agents),
        lanes: changed('lanes', options.lanes),
        ledger: options.ledger === undefined ? undefined : { url: options.ledger, name: crawl.name },
        restored: options.restored,
        listen: readListen(options.listen),
        trust: options.trust,
      })
      warnOfRobots(session.config)
      say(await watch(session, directory ?? crawl.directory, options.json === true))
    })
}

type ResumeOptions = AddressOptions & {
  json?: boolean
  robots?: string
  agents?: string
  lanes?: string
  restored?: boolean
}

/** A setting for this run only; undefined when it stays as it was. */
function changed<K extends 'robots' | 'agents' | 'lanes'>(
  name: K,
  value: string | undefined,
): CrawlConfig[K] | undefined {
  if (value === undefined) return undefined
  try {
    return FIELDS[name].read(value, `--${name}`) as CrawlConfig[K]
  } catch (error) {
    throw new ConfigError((error as Error).message)
  }
}

/** Runs the session with signals, progress and summary; the result is the exit code. */
export async function watch(session: CrawlSession, directory: string, json: boolean): Promise<number> {
  boundHeap()
  const display = await ProgressDisplay.start(systemClock, process.stderr, () => session.progress())
  const unsubscribe = onEndSignal(signalHandler(session, display))
  let report: Report
  try {
    report = await session.run(line => display.say(`orbweaver: ${line}`))
  } finally {
    display.stop()
    unsubscribe()
  }
  tell(summaryOf(report, directory, session.config))
  if (json) printJson(report)
  return exitCodeOf(report)
}

/**
 * The first signal seals and stops, the second stops at once: nothing acknowledged is lost either way. A
 * terminal that is closed sends SIGHUP more than once, by its shell and by the kernel, so that one never is
 * the second.
 */
function signalHandler(session: CrawlSession, display: ProgressDisplay): (signal: NodeJS.Signals) => void {
  let signals = 0
  return signal => {
    if (++signals > 1 && signal === 'SIGHUP') return
    if (signals > 1) process.exit(EXIT.interrupted)
    display.say('stopping: storing what was fetched; a second signal stops at once')
    session.stop()
  }
}

function exitCodeOf(report: Report): number {
  if (report.damaged.length > 0) return EXIT.damaged
  if (report.finishReason === 'stopped') return EXIT.interrupted
  if (report.pages === 0) return EXIT.noPage
  return EXIT[report.finishReason]
}

function warn(config: CrawlConfig): void {
  if (config.contact === undefined && config.userAgent === undefined)
    process.stderr.write('orbweaver: no --contact given; site owners cannot see whose crawl this is\n')
  warnOfRobots(config)
}

function warnOfRobots(config: CrawlConfig): void {
  if (config.robots === 'ignore')
    process.stderr.write(
      'orbweaver: --robots ignore: robots.txt is not read; only do this to your own sites\n',
    )
}

const RESUME_HELP = `
Examples:
  orbweaver resume example.org-2026-11-15
  orbweaver resume my-crawl --agents 8
  orbweaver resume crawl-of-a-colleague --trust
  orbweaver resume --ledger postgres://crawler@db1/crawls --name example --store /mnt/example`

const HELP = `
Every option can also be set by an environment variable (${variableOf('maxPages')} for --max-pages) or in --config FILE.

Examples:
  orbweaver crawl https://example.org
  orbweaver crawl https://example.org/docs/ --scope prefix --out docs
  orbweaver crawl example.org example.net --max-pages 1000 --contact https://me.example/crawl
  orbweaver crawl http://localhost:3000 --allow-private --delay 0
  orbweaver crawl https://example.org --previous example.org-2026-11-01 --out today
  orbweaver crawl https://example.org --ledger postgres://crawler@db1/crawls --name example --store /mnt/example`
