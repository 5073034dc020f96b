/** `orbweaver experiment dynamic-balance`: Table 1 of the dynamic partition paper, crawled or simulated. */
import { Command } from 'commander'
import { whole } from '../src/cli/options/index.js'
import { print, printJson, tell } from '../src/cli/output/index.js'
import { number } from '../src/model/index.js'
import { simulateCrawl } from './balance-crawl.js'
import { type Balance, PAGES } from './dynamic-balance.js'
import { type MeanBalance, overSeeds } from './many-seeds.js'

interface Flags {
  readonly simulate?: boolean
  readonly quick?: boolean
  readonly pages?: number
  readonly seed?: number
  readonly seeds?: number
  readonly latency?: number
  readonly json?: boolean
}

/** Among 150 seeds, the one whose sites were divided among six lanes most as in the paper. */
const TYPICAL_SEED = 99
/** Enough to show the order of the methods. */
const QUICK_PAGES = 3_000
/** Fewer pages have to take longer: otherwise most of the time would go by with starting and ending. */
const QUICK_LATENCY_MS = 40
const LATENCY_MS = 5
const QUICK_SEEDS = 10

const ABOUT = `
Six lanes on three agents download 30 sites with ${number(PAGES)} pages in total by four methods (Table 1 of "A Parallel Crawling
Schema Using Dynamic Partition"): sites are bound to lanes at random or by size, or free lanes take them in random order
or the largest first. The workload of a lane is its share of the total download time.

Without --simulate, a generated web is crawled four times on this machine, in about 8 minutes. Its servers answer in
--latency ms on average. On a busy machine all sites become equally slow, which makes static partitions look better than
they are; use a larger --latency and fewer --pages there. With --simulate, the crawls run in virtual time with many seeds.

Examples:
  $ orbweaver experiment dynamic-balance
  $ orbweaver experiment dynamic-balance --simulate --json
  $ orbweaver experiment dynamic-balance --quick                  a small web, about two minutes`

export function dynamicBalanceCommand(): Command {
  return new Command('dynamic-balance')
    .description('how evenly six lanes share the work, by four methods')
    .option('--simulate', 'run in virtual time with many seeds; print mean and spread')
    .option('--quick', `a small web of ${number(QUICK_PAGES)} pages; with --simulate, ${QUICK_SEEDS} seeds`)
    .option('--pages <n>', `pages of all sites together (default: ${PAGES})`, whole(300))
    .option(
      '--seed <n>',
      `seed of the web and of random choices (default: ${TYPICAL_SEED}; first seed with --simulate: 1)`,
      whole(0),
    )
    .option('--seeds <n>', 'with --simulate: number of seeds (default: 100)', whole(1))
    .option(
      '--latency <ms>',
      `mean response time of the servers (default: ${LATENCY_MS}; with --quick: ${QUICK_LATENCY_MS})`,
      whole(1),
    )
    .option('--json', 'print one JSON object on stdout')
    .addHelpText('after', ABOUT)
    .action(async (flags: Flags) => {
      const methods = flags.simulate ? await simulated(flags) : await real(flags)
      if (flags.json) printJson({ methods })
      else print(`${table(methods).join('\n')}\n`)
    })
}

async function real(flags: Flags): Promise<Balance[]> {
  const { crawlBalance } = await import('./balance-run.js')
  return crawlBalance({
    pages: flags.pages ?? (flags.quick ? QUICK_PAGES : PAGES),
    seed: flags.seed ?? TYPICAL_SEED,
    latencyMs: flags.latency ?? (flags.quick ? QUICK_LATENCY_MS : LATENCY_MS),
    tell: text => tell(`${text}\n`),
  })
}

function simulated(flags: Flags): Promise<MeanBalance[]> {
  const options = {
    firstSeed: flags.seed ?? 1,
    seeds: flags.seeds ?? (flags.quick ? QUICK_SEEDS : 100),
    pages: flags.pages ?? PAGES,
    latencyMs: flags.latency ?? LATENCY_MS,
  }
  return overSeeds(options, simulateCrawl)
}

function table(methods: readonly (Balance | MeanBalance)[]): string[] {
  const many = methods.some(method => 'seeds' in method)
  const lanes = methods[0].workload.map((_, lane) => `lane ${lane + 1}`.padStart(8)).join('')
  const head = `${'method'.padEnd(16)}${lanes}${'stdev'.padStart(9)}${'paper'.padStart(9)}${many ? '   spread (least to most)' : ''}`
  return [head, ...methods.map(line)]
}

function line(method: Balance | MeanBalance): string {
  const { name, workload, stdevPercent, paperPercent } = method
  const percent = (value: number) => `${value.toFixed(2)} %`.padStart(9)
  const shares = workload.map(share => share.toFixed(3).padStart(8)).join('')
  const spread =
    'seeds' in method
      ? `   ${method.spreadPercent.toFixed(2)} (${method.leastPercent.toFixed(2)} to ${method.mostPercent.toFixed(2)})`
      : ''
  return `${name.padEnd(16)}${shares}${percent(stdevPercent)}${percent(paperPercent)}${spread}`
}
