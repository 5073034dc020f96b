/**
 * The command of an experiment: flags, table or JSON on stdout, chart in a file, targets that were missed
 * told at the end.
 */
import { writeFileSync } from 'node:fs'
import { Command, Option } from 'commander'
import { EXIT, print, type Say, tell, whole } from '../src/cli/index.js'
import { chartSvg, type Effort, type Findings, type PaperExperiment, tableLines } from './frame/index.js'

interface Flags {
  readonly quick?: boolean
  readonly full?: boolean
  readonly seed: number
  readonly json?: boolean
  readonly chart?: string
}

/** Where the results go, and what goes on. */
interface Voices {
  readonly print: (text: string) => void
  readonly tell: (line: string) => void
}

const OWN_VOICES: Voices = {
  print,
  tell: line => tell(`${line}\n`),
}

export function paperCommand(experiment: PaperExperiment, say: Say, { print, tell } = OWN_VOICES): Command {
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
      // JSON has only figures: people read this beside it.
      if (flags.json) for (const line of missedLines(findings)) tell(line)
      if (findings.missed.length > 0) say(EXIT.missed)
    })
}

const EXIT_HELP = `If a target is missed, a line "missed: …" names it (on stderr with --json), and the exit code is ${EXIT.missed}.`

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
