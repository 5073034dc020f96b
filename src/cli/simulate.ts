/** `orbweaver simulate`: a crawl in virtual time with faults, checked, and its figures. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command, Option } from 'commander'
import { systemClock } from '../compose/index.js'
import { ASSIGNMENTS, type AssignmentName } from '../config/index.js'
import {
  explain,
  FAULT_PRESETS,
  type FaultPreset,
  MUTATIONS,
  type Mutation,
  type SimulationOptions,
  type SimulationResult,
  shrink,
  simulate,
  smallRun,
} from '../simulate/index.js'
import { EXIT } from './exit/index.js'
import { LARGE_SITES } from './limits.js'
import { whole } from './options/index.js'
import { print, printJson, SimulationDisplay, tell } from './output/index.js'

interface Flags {
  readonly agents: number
  readonly sites: number
  readonly pages?: number
  readonly seed: number
  readonly faults: FaultPreset
  /** Absent: `dynamic`, or with `--small` each in turn. */
  readonly assign?: AssignmentName
  readonly lanes: number
  readonly splitSites?: number
  readonly delay: number
  readonly runs: number
  readonly small?: boolean
  readonly ledger: 'memory' | 'sqlite'
  readonly break?: Mutation
  readonly json?: boolean
}

/** Figures by which the size of a run is judged, with the names of their minima in the report. */
const SIZES = [
  ['agents', 'leastAgents'],
  ['sites', 'leastSites'],
  ['pages', 'leastPages'],
  ['faults', 'leastFaults'],
  ['kills', 'leastKills'],
  ['zombies', 'leastZombies'],
] as const

const EXAMPLES = `
Examples:
  $ orbweaver simulate --agents 50 --sites 100000 --seed 7 --faults heavy
      one crawl with killed, frozen and disconnected agents, full disks and lost answers
  $ orbweaver simulate --small --runs 1000
      a thousand small crawls; the first violation is reduced and shown
  $ orbweaver simulate --small --runs 100 --break no-fencing
      the same with a broken rule of the ledger, to see what a violation looks like`

export function simulateCommand(say: (exitCode: number) => void): Command {
  return new Command('simulate')
    .option('--agents <n>', 'number of agents at the start', whole(1), 5)
    .option('--sites <n>', 'number of sites of the web', whole(1), 40)
    .option('--pages <n>', 'pages of all sites together (default: 500, or two per site)', whole(1))
    .option('--seed <n>', 'seed; the same seed gives the same history', whole(0), 1)
    .addOption(
      new Option('--faults <how many>', 'how many faults to inject').choices(FAULT_PRESETS).default('light'),
    )
    .addOption(
      new Option(
        '--assign <how>',
        'which agent gets a site (default: dynamic; with --small, each in turn)',
      ).choices([...ASSIGNMENTS]),
    )
    .option('--lanes <n>', 'lanes of each agent', whole(1), 20)
    .option('--split-sites <n>', 'split sites with more than this many queued URLs', whole(2))
    .option('--delay <ms>', 'pause between two requests to a site, in milliseconds', whole(0), 500)
    .option('--runs <n>', 'number of runs, each with the next seed', whole(1), 1)
    .option('--small', 'small crawls with faults; every seed has other parameters')
    .addOption(
      new Option('--break <rule>', 'break a rule on purpose, which the checker must notice').choices(
        Object.keys(MUTATIONS),
      ),
    )
    .addOption(
      new Option('--ledger <backend>', 'ledger in memory, or the SQLite ledger with its database in memory')
        .choices(['memory', 'sqlite'])
        .default('memory')
        .conflicts('break'),
    )
    .option('--json', 'print one JSON object on stdout')
    .addHelpText('after', EXAMPLES)
    .action(async (flags: Flags) => {
      const isRight = await simulateAll(flags)
      say(isRight ? EXIT.done : EXIT.internal)
    })
}

async function simulateAll(flags: Flags): Promise<boolean> {
  const scratch = mkdtempSync(join(tmpdir(), 'orb-simulate-'))
  try {
    return await simulateIn(scratch, flags)
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

async function simulateIn(scratch: string, flags: Flags): Promise<boolean> {
  const started = systemClock.monotonic()
  // Keeps only the figures of each run, because there may be ten thousand runs.
  const figures: Figures[] = []
  const struck = new Map<string, number>()
  const calls = new Map<string, number>()
  const display = new SimulationDisplay(systemClock, process.stderr, usedSoFar)
  for (let run = 0; run < flags.runs; run++) {
    const options = { ...optionsOf(flags, flags.seed + run), scratch }
    const result = await simulate({
      ...options,
      onProgress: progress => display.look(progress, run + 1, flags.runs),
    })
    display.stop()
    figures.push(figuresOf(options, result))
    addTo(struck, result.struck)
    addTo(calls, result.ledgerCalls)
    if (result.violations.length > 0) {
      const small = options.sites > LARGE_SITES ? { options, result } : await shrink(options, result)
      tell(`${explain(small, commandFor(flags, options.seed))}\n`)
      return false
    }
  }
  report(
    flags,
    figures,
    { struck: listed(struck), ledgerCalls: listed(calls) },
    (systemClock.monotonic() - started) / 1000,
  )
  return true
}

function addTo(sums: Map<string, number>, counts: ReadonlyMap<string, number>): void {
  for (const [what, times] of counts) sums.set(what, (sums.get(what) ?? 0) + times)
}

function listed(counts: ReadonlyMap<string, number>): string {
  return [...counts].map(([what, times]) => `${what} ${times}`).join(', ')
}

function usedSoFar() {
  const { user, system } = process.cpuUsage()
  return { cpuMs: (user + system) / 1000, bytes: process.memoryUsage.rss() }
}

function optionsOf(flags: Flags, seed: number): SimulationOptions {
  const { splitSites, ledger } = flags
  const extra = {
    ledger,
    ...(flags.break === undefined ? {} : { mutation: flags.break }),
    ...(splitSites === undefined ? {} : { splitSites }),
  }
  if (flags.small) {
    const small = smallRun(seed)
    return { ...small, assign: flags.assign ?? small.assign, ...extra }
  }
  const { agents, sites, faults, assign = 'dynamic', lanes, delay } = flags
  const pages = flags.pages ?? Math.max(500, 2 * sites)
  return {
    seed,
    agents,
    sites,
    pages,
    faults,
    assign,
    lanes,
    delayMs: delay,
    keepsHistory: false,
    ...extra,
  }
}

/** The command that repeats the run. */
function commandFor(flags: Flags, seed: number): string {
  const { agents, sites, pages, faults, assign = 'dynamic', lanes, delay } = flags
  const shape = flags.small
    ? `--small${flags.assign === undefined ? '' : ` --assign ${assign}`}`
    : `--agents ${agents} --sites ${sites}${pages === undefined ? '' : ` --pages ${pages}`} --faults ${faults} ` +
      `--assign ${assign} --lanes ${lanes} --delay ${delay}`
  const splits = flags.splitSites === undefined ? '' : ` --split-sites ${flags.splitSites}`
  const backend = flags.ledger === 'memory' ? '' : ` --ledger ${flags.ledger}`
  return `orbweaver simulate ${shape} --seed ${seed}${splits}${backend}${flags.break === undefined ? '' : ` --break ${flags.break}`}`
}

function figuresOf({ agents, sites }: SimulationOptions, result: SimulationResult) {
  const { metrics } = result
  return {
    agents,
    sites,
    pages: result.pages,
    faults: struckFaults(result),
    kills: result.struck.get('death') ?? 0,
    zombies: result.struck.get('revival') ?? 0,
    overlap: metrics.overlap,
    overlapFetches: metrics.overlapFetches,
    coverage: metrics.coverage,
    communication: metrics.communication,
    messages: metrics.messages,
    coalescedMessages: metrics.coalescedMessages,
    workloadStdev: metrics.workloadStdev,
    refusedCommits: result.refusedCommits,
    refusedFinishes: result.refusedFinishes,
    cellsTaken: result.cells.taken,
    cellsGiven: result.cells.given,
    requests: result.requests,
    virtualSeconds: result.virtualMs / 1000,
    history: Number.parseInt(result.history.hash, 16),
  }
}

/** The number of planned faults that took effect. */
function struckFaults({ faults, struck }: SimulationResult): number {
  const kinds = new Set(faults.map(({ kind }) => kind))
  return [...kinds].reduce((sum, kind) => sum + (struck.get(kind) ?? 0), 0)
}

type Figures = ReturnType<typeof figuresOf>

/** Prints the figures of one run, or the means over several runs. */
function report(
  flags: Flags,
  figures: readonly Figures[],
  counts: Readonly<Record<'struck' | 'ledgerCalls', string>>,
  seconds: number,
): void {
  const { history: _, ...first } = figures[0]
  const names = Object.keys(first) as (keyof typeof first)[]
  const mean = (name: keyof Figures) => figures.reduce((sum, run) => sum + run[name], 0) / figures.length
  const { user, system } = process.cpuUsage()
  const cpuSeconds = (user + system) / 1e6
  const least = (name: keyof Figures) => figures.reduce((most, run) => Math.min(most, run[name]), Infinity)
  const summary = {
    runs: figures.length,
    seed: flags.seed,
    assign: flags.assign ?? (flags.small ? 'each in turn' : 'dynamic'),
    ...Object.fromEntries(names.map(name => [name, mean(name)])),
    ...counts,
    // The minima over all runs.
    ...Object.fromEntries(SIZES.map(([name, shown]) => [shown, least(name)])),
    violations: 0,
    seconds,
    cpuSeconds,
    // Includes the start of the process and just-in-time compilation.
    runsPerCpuMinute: (60 * figures.length) / cpuSeconds,
    peakMegabytes: process.resourceUsage().maxRSS / 1024,
    history: figures.reduce((hash, run) => (Math.imul(hash, 31) + run.history) >>> 0, 0).toString(16),
  }
  if (flags.json) printJson(summary)
  else for (const [name, value] of Object.entries(summary)) print(`${name.padEnd(18)} ${shown(value)}\n`)
}

function shown(value: string | number): string {
  return typeof value === 'number' ? String(Math.round(value * 10_000) / 10_000) : value
}
