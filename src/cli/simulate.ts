/** `orbweaver simulate`: a crawl in virtual time with faults, checked, and its figures. */
import { Command, InvalidArgumentError, Option } from 'commander'
import { ASSIGNMENTS, type AssignmentName } from '../assign/index.js'
import { systemClock } from '../compose/system.js'
import {
  explain,
  FAULT_PRESETS,
  type FaultPreset,
  type SimulationOptions,
  type SimulationResult,
  shrink,
  simulate,
  smallRun,
} from '../simulate/index.js'
import { EXIT } from './exit-codes.js'

interface Flags {
  readonly agents: number
  readonly sites: number
  readonly pages?: number
  readonly seed: number
  readonly faults: FaultPreset
  readonly assign: AssignmentName
  readonly lanes: number
  readonly delay: number
  readonly runs: number
  readonly small?: boolean
  readonly json?: boolean
}

const EXAMPLES = `
Examples:
  $ orbweaver simulate --agents 50 --sites 100000 --seed 7 --faults heavy
      one crawl, with agents killed, frozen and cut off, disks full and answers lost; its figures
  $ orbweaver simulate --small --runs 1000
      a thousand small crawls as CI makes them; the first violation is made small and shown`

export function simulateCommand(say: (exitCode: number) => void): Command {
  return new Command('simulate')
    .option('--agents <n>', 'agents at the start', whole(1), 5)
    .option('--sites <n>', 'sites of the web', whole(1), 40)
    .option('--pages <n>', 'pages of all sites together (500, or two a site)', whole(1))
    .option('--seed <n>', 'of everything: same seed, same history', whole(0), 1)
    .addOption(
      new Option('--faults <how many>', 'none, light or heavy').choices(FAULT_PRESETS).default('light'),
    )
    .addOption(
      new Option('--assign <how>', 'who gets which site').choices([...ASSIGNMENTS]).default('dynamic'),
    )
    .option('--lanes <n>', 'lanes of each agent', whole(1), 20)
    .option('--delay <ms>', 'pause between two requests to a site', whole(0), 500)
    .option('--runs <n>', 'so many runs, each with the next seed', whole(1), 1)
    .option('--small', 'small faulty crawls as CI makes them, every seed a little different')
    .option('--json', 'one JSON object on stdout')
    .addHelpText('after', EXAMPLES)
    .action(async (flags: Flags) => {
      const isRight = await simulateAll(flags)
      say(isRight ? EXIT.done : EXIT.internal)
    })
}

function whole(least: number): (value: string) => number {
  return value => {
    const read = Number(value)
    if (Number.isInteger(read) && read >= least && value.trim() !== '') return read
    throw new InvalidArgumentError(`must be a whole number, at least ${least}.`)
  }
}

async function simulateAll(flags: Flags): Promise<boolean> {
  const started = systemClock.monotonic()
  const results: SimulationResult[] = []
  for (let run = 0; run < flags.runs; run++) {
    const options = optionsOf(flags, flags.seed + run)
    const result = await simulate(options)
    results.push(result)
    if (result.violations.length > 0) {
      const small = flags.sites > 1_000 ? { options, result } : await shrink(options, result)
      process.stderr.write(`${explain(small, options.seed)}\n`)
      return false
    }
  }
  tell(flags, results, (systemClock.monotonic() - started) / 1000)
  return true
}

function optionsOf(flags: Flags, seed: number): SimulationOptions {
  if (flags.small) return smallRun(seed)
  const { agents, sites, faults, assign, lanes, delay } = flags
  const pages = flags.pages ?? Math.max(500, 2 * sites)
  return { seed, agents, sites, pages, faults, assign, lanes, delayMs: delay, keepsHistory: false }
}

function tell(flags: Flags, results: readonly SimulationResult[], seconds: number): void {
  const mean = (of: (result: SimulationResult) => number) =>
    results.reduce((sum, result) => sum + of(result), 0) / results.length
  const summary = {
    runs: results.length,
    seed: flags.seed,
    agents: flags.agents,
    sites: flags.sites,
    pages: mean(result => result.pages),
    assign: flags.assign,
    faults: mean(result => result.faults.length),
    violations: 0,
    overlap: mean(result => result.metrics.overlap),
    overlapFetches: mean(result => result.metrics.overlapFetches),
    coverage: mean(result => result.metrics.coverage),
    communication: mean(result => result.metrics.communication),
    messages: mean(result => result.metrics.messages),
    coalescedMessages: mean(result => result.metrics.coalescedMessages),
    workloadStdev: mean(result => result.metrics.workloadStdev),
    refusedCommits: mean(result => result.refusedCommits),
    refusedFinishes: mean(result => result.refusedFinishes),
    requests: mean(result => result.requests),
    virtualSeconds: mean(result => result.virtualMs / 1000),
    seconds,
    history: results
      .map(({ history }) => history.hash)
      .join(' ')
      .slice(0, 80),
  }
  if (flags.json) process.stdout.write(`${JSON.stringify(summary)}\n`)
  else
    for (const [name, value] of Object.entries(summary))
      process.stdout.write(`${name.padEnd(18)} ${shown(value)}\n`)
}

function shown(value: string | number): string {
  return typeof value === 'number' ? String(Math.round(value * 10_000) / 10_000) : value
}
