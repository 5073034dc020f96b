/** `orbweaver verify`: reads every file of a crawl and reports those that are damaged or missing. */
import { Command } from 'commander'
import { plural, shellWord, withoutControls } from '../model/index.js'
import { type Damage, verifyDirectory } from '../verify/index.js'
import type { Say } from './commands.js'
import { EXIT, interruptible, untilAborted } from './exit/index.js'
import { trustOption } from './options/index.js'
import { print, printJson, size, tell } from './output/index.js'

interface VerifyFlags {
  readonly quick?: boolean
  readonly json?: boolean
  readonly trust?: boolean
}

const HELP = `
Examples:
  orbweaver verify my-crawl
      compares every file with its digest and reads every WARC record, index line, row and journal
  orbweaver verify my-crawl --quick
      compares digests only, as fast as the disk can be read
  orbweaver verify my-crawl --json

Prints one line per damaged file on stdout. Exit codes: 0 no damage, 8 damage. Nothing is changed.
"orbweaver repair" repairs what it finds.`

export function verifyCommand(say: Say): Command {
  return new Command('verify')
    .argument('<dir>', 'directory of the crawl')
    .option('--quick', 'compare digests only; do not read the records, rows and journals')
    .option('--json', 'print one JSON object on stdout')
    .addOption(trustOption())
    .addHelpText('after', HELP)
    .action(async (directory: string, flags: VerifyFlags) => {
      say(
        await interruptible({}, interruption =>
          Promise.race([run(directory, flags), untilAborted(interruption)]),
        ),
      )
    })
}

async function run(directory: string, flags: VerifyFlags): Promise<number> {
  const damaged: Damage[] = []
  const notes: string[] = []
  let [files, bytes] = [0, 0]
  const options = {
    quick: flags.quick === true,
    trust: flags.trust === true,
    note: (line: string) => notes.push(line),
    onFile: (_file: string, fileBytes: number) => {
      files++
      bytes += fileBytes
    },
  }
  for await (const damage of verifyDirectory(directory, options)) {
    damaged.push(damage)
    if (!flags.json) print(`${withoutControls(`${damage.file} ${damage.detail}`)}\n`)
  }
  const isSound = damaged.length === 0
  if (flags.json) printJson({ sound: isSound, files, bytes, damaged, notes })
  for (const line of notes) tell(`orbweaver: ${withoutControls(line)}\n`)
  const read = `${plural(files, 'file')} read, ${size(bytes)}`
  tell(
    isSound
      ? `${read}: no damage\n`
      : `${read}: ${damaged.length} damaged; run: orbweaver repair ${shellWord(directory)}\n`,
  )
  return isSound ? EXIT.done : EXIT.damaged
}
