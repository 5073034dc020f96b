/** The command of an experiment: flags, table or JSON on stdout, chart in a file. */
import { writeFileSync } from 'node:fs'
import { Command, Option } from 'commander'
import {
  chartSvg,
  type Effort,
  type Findings,
  type PaperExperiment,
  tableLines,
} from '../simulate/experiments/frame/index.js'
import { whole } from './whole.js'

interface Flags {
  readonly quick?: boolean
  readonly full?: boolean
  readonly seed: number
  readonly json?: boolean
  readonly chart?: string
}

export function paperCommand(experiment: PaperExperiment): Command {
  return new Command(experiment.name)
    .description(experiment.about)
    .addOption(new Option('--quick', 'a small form, under a minute').conflicts('full'))
    .option('--full', '8 seeds instead of one, however long it takes')
    .option('--seed <n>', 'the first of them', whole(0), 1)
    .option('--json', 'one JSON object on stdout: rows, averages, paper')
    .option('--chart <file>', 'the figures as an SVG file')
    .addHelpText('after', `\n${experiment.help}`)
    .action(async (flags: Flags) => {
      const tell = (text: string) => void process.stderr.write(`${text}\n`)
      const findings = await experiment.run({ effort: effortOf(flags), seed: flags.seed, tell })
      if (flags.chart !== undefined) writeFileSync(flags.chart, chartSvg(findings.chart))
      process.stdout.write(flags.json ? `${json(findings)}\n` : `${text(findings)}\n`)
    })
}

function effortOf({ quick, full }: Flags): Effort {
  if (full) return 'full'
  return quick ? 'quick' : 'default'
}

function json({ rows, averages, paper }: Findings): string {
  return JSON.stringify({ rows, averages, paper })
}

function text({ tables, notes }: Findings): string {
  return [...tables.flatMap(table => [...tableLines(table), '']), ...notes].join('\n').trimEnd()
}
