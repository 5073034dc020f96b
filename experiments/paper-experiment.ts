/** The command of an experiment: prints tables or JSON, writes the chart, and reports missed targets. */
import { writeFileSync } from 'node:fs'
import { Command, Option } from 'commander'
import { EXIT } from '../src/cli/exit/index.js'
import type { Say } from '../src/cli/index.js'
import { whole } from '../src/cli/options/index.js'
import { print, tell } from '../src/cli/output/index.js'
import { chartSvg, type Effort, type Findings, type PaperExperiment, tableLines } from './frame/index.js'

interface Flags {
  readonly quick?: boolean
  readonly full?: boolean
  readonly seed: number
  readonly json?: boolean
  readonly chart?: string
}

/** Where results and progress are printed. */
interface Output {
  readonly print: (text: string) => void
  readonly tell: (line: string) => void
}

const TERMINAL: Output = {
  print,
  tell: line => tell(`${line}\n`),
}

export function paperCommand(experiment: PaperExperiment, say: Say, { print, tell } = TERMINAL): Command {
  return new Command(experiment.name)
    .description(experiment.about)
    .addOption(new Option('--quick', 'a short version, under a minute').conflicts('full'))
    .option('--full', '8 seeds instead of one; takes long')
    .option('--seed <n>', 'first seed', whole(0), 1)
    .option('--json', 'print one JSON object on stdout: rows, averages, paper')
    .option('--chart <file>', 'also write the figures as an SVG file')
    .addHelpText('after', `\n${experiment.help}\n\n${EXIT_HELP}`)
    .action(async (flags: Flags) => {
      const findings = await experiment.run({ effort: effortOf(flags), seed: flags.seed, tell })
      if (flags.chart !== undefined) writeFileSync(flags.chart, chartSvg(findings.chart))
      print(flags.json ? `${json(findings)}\n` : `${text(findings)}\n`)
      // The JSON has only figures, so missed targets go to stderr.
      if (flags.json) for (const line of missedLines(findings)) tell(line)
      if (findings.missed.length > 0) say(EXIT.missed)
    })
}

const EXIT_HELP = `Targets that are not met are reported in lines "missed: …", on stderr with --json; then the exit code is ${EXIT.missed}.`

function missedLines({ missed }: Findings): string[] {
  return missed.map(line => `missed: ${line}`)
}

function effortOf({ quick, full }: Flags): Effort {
  if (full) return 'full'
  return quick ? 'quick' : 'default'
}

function json({ rows, averages, paper }: Findings): string {
  return JSON.stringify({ rows, averages, paper })
}

function text(findings: Findings): string {
  const tables = findings.tables.flatMap(table => [...tableLines(table), ''])
  return [...tables, ...findings.notes, ...missedLines(findings)].join('\n').trimEnd()
}
