/** `orbweaver repair`: mends what `verify` finds, and says what was lost. */
import { Command } from 'commander'
import { forDisplay, plural, shellWord } from '../model/index.js'
import { type RepairReport, repairDirectory } from '../verify/index.js'
import type { Say } from './commands.js'
import { EXIT } from './exit/index.js'
import { trustOption } from './options/index.js'
import { print, printJson, tell } from './output/index.js'

interface RepairFlags {
  readonly dryRun?: boolean
  readonly json?: boolean
  readonly trust?: boolean
}

const HELP = `
Examples:
  orbweaver repair my-crawl --dry-run
      shows the damage, what would be done, and what would be lost
  orbweaver repair my-crawl
      rebuilds tables and indexes from the archive; damaged files move to my-crawl/quarantine
  orbweaver resume my-crawl
      fetches the lost pages again

Exit codes: 0 nothing was lost; 14 something was lost, and the lines that begin with "lost" name it; 6 the crawl is running.
If a repair is interrupted, run it again.`

export function repairCommand(say: Say): Command {
  return new Command('repair')
    .argument('<dir>', 'directory of the crawl')
    .option('--dry-run', 'show what would be done, but change nothing')
    .option('--json', 'print one JSON object on stdout')
    .addOption(trustOption())
    .addHelpText('after', HELP)
    .action(async (directory: string, flags: RepairFlags) => {
      const report = await repairDirectory(directory, {
        dryRun: flags.dryRun === true,
        trust: flags.trust === true,
      })
      if (flags.json) printJson(report)
      else
        print(
          linesOf(report)
            .map(line => `${line}\n`)
            .join(''),
        )
      tell(`${summaryOf(directory, report)}\n`)
      say(report.lost.length + report.gone.length > 0 ? EXIT.lost : EXIT.done)
    })
}

function linesOf({ damage, done, lost, gone }: RepairReport): string[] {
  return [
    ...damage.map(({ file, detail }) => `damaged: ${file} ${detail}`),
    ...done.map(line => `repaired: ${line}`),
    ...lost.map(url => `lost, to be fetched again: ${url}`),
    ...gone.map(line => `lost: ${line}`),
  ].map(forDisplay)
}

function summaryOf(directory: string, { damage, lost, gone, quarantine, dryRun }: RepairReport): string {
  if (damage.length === 0) return 'nothing is damaged'
  const again = `orbweaver ${dryRun ? 'repair' : 'resume'} ${shellWord(directory)}`
  const where = quarantine.map(folder => `; the damaged files are in ${folder}`).join('')
  const found = `${plural(damage.length, 'damaged file')}`
  if (dryRun) return `${found}, ${plural(lost.length, 'page')} lost; nothing was changed; to repair: ${again}`
  if (lost.length > 0)
    return `${found}, ${plural(lost.length, 'page')} lost${where}; to fetch them again: ${again}`
  return gone.length > 0
    ? `${found}; not all of it could be repaired${where}`
    : `${found}, nothing lost${where}`
}
