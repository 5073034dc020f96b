/**
 * The `orbweaver` command: one file per sub-command, one place that turns errors into a line and an exit
 * code.
 */
import { Command, CommanderError } from 'commander'
import { ConfigError, UntrustedError } from '../config/index.js'
import { PairError } from '../data/store/index.js'
import { DamagedFileError } from '../data/store/tables/index.js'
import { DamageError } from '../files/index.js'
import { LedgerError } from '../ledger/index.js'
import { shellWord, VERSION, withoutControls } from '../model/index.js'
import { PartitionError } from '../plan/partition/state/index.js'
import {
  AgentRestartLimitError,
  DirectoryBusyError,
  DiskFullError,
  NewerCrawlError,
} from '../runtime/directory/index.js'
import type { Platform } from '../runtime/platform/index.js'
import { COMMANDS, type Say } from './commands.js'
import { EXIT, InterruptedError, outliveTerminal, readerLeft } from './exit/index.js'
import { tell } from './output/index.js'

/**
 * Runs one command and returns its exit code. With `platform` null, uses the platform of the installed
 * program.
 */
export async function main(argv: readonly string[], platform: Platform | null = null): Promise<number> {
  outliveTerminal(readerLeft)
  let code: number = EXIT.done
  const say = (value: number) => {
    code = value
  }
  const program = new Command('orbweaver')
    .description('Crawls the web politely, keeps every page, and answers SQL queries about them.')
    .version(VERSION)
    .configureHelp({ subcommandTerm: command => command.name() })
    .addHelpText('after', HELP)
  const loadPlatform = async () => platform ?? systemPlatform()
  for (const [name, { about }] of Object.entries(COMMANDS))
    program.addCommand(
      isWanted(name, argv) ? await load(name, say, loadPlatform) : new Command(name).description(about),
    )
  quietly(program)
  try {
    await program.parseAsync(argv, { from: 'user' })
    return code
  } catch (error) {
    return failureCode(error, argv)
  }
}

/** Other commands are not loaded: the list of commands and the check for typing errors need names only. */
function isWanted(name: string, [first, second]: readonly string[]): boolean {
  return name === first || (first === 'help' && name === second)
}

/** Loaded on demand: not every command needs it. */
async function systemPlatform(): Promise<Platform> {
  const { systemPlatform } = await import('../compose/index.js')
  return systemPlatform
}

async function load(name: string, say: Say, platform: () => Promise<Platform>): Promise<Command> {
  const { about, load } = COMMANDS[name]
  return (await load(say, platform)).description(about)
}

/** Commander throws instead of ending the process, and prints nothing. */
function quietly(command: Command): void {
  command.exitOverride().configureOutput({ writeErr: () => {} })
  for (const child of command.commands) quietly(child)
}

/** One line for arguments that Commander does not understand, with a hint. */
function usageProblem(error: CommanderError, argv: readonly string[]): string {
  const [first = '', second = ''] = argv
  if (error.code === 'commander.help' && first === 'help')
    return `unknown command '${second}'; orbweaver --help lists the commands`
  if (error.code === 'commander.help')
    return `no command given; orbweaver${first === '' ? '' : ` ${first}`} --help lists the commands`
  const message = error.message
    .replace(/^error: /, '')
    .replace(/\s*\n\s*/g, ' ')
    .replace(/\.$/, '')
  if (error.code === 'commander.unknownCommand' && /^https?:|\.[a-z]/i.test(first))
    return `${message}; to crawl it: orbweaver crawl ${shellWord(first)}`
  const command = Object.hasOwn(COMMANDS, first) ? ` ${first}` : ''
  const other = error.code === 'commander.unknownOption' ? '; if it is not an option, put -- before it' : ''
  const help = first === 'crawl' ? '--help-all' : '--help'
  return `${message}; orbweaver${command} ${help} lists the options${other}`
}

function failureCode(error: unknown, argv: readonly string[]): number {
  if (error instanceof CommanderError)
    return error.exitCode === 0 ? EXIT.done : complain(usageProblem(error, argv), EXIT.config)
  if (error instanceof InterruptedError) return endInterrupted(error)
  if (error instanceof UntrustedError) return complain(untrustedLine(error, argv), EXIT.untrusted)
  if (error instanceof LedgerError) return complain(error.message, LEDGER_EXIT[error.kind] ?? EXIT.ledger)
  const { message, stack = String(error), code = '' } = error as NodeJS.ErrnoException
  const known = EXITS.find(([kind]) => error instanceof kind)
  if (known) return complain(message, known[1])
  if (DISK_FULL.has(code)) return complain('the disk is full; free some space, then resume', EXIT.disk)
  const ofSystem = SYSTEM_ERRORS.find(([codes]) => codes.includes(code))
  if (ofSystem) return complain(`${ofSystem[1]}: ${message}`, ofSystem[2])
  tell(`orbweaver: this is a bug, please report it: ${stack}\n`)
  return EXIT.internal
}

/** Errors whose message is a line for the user. */
const EXITS = [
  [ConfigError, EXIT.config],
  [PartitionError, EXIT.config],
  [DirectoryBusyError, EXIT.busy],
  [DiskFullError, EXIT.disk],
  [AgentRestartLimitError, EXIT.internal],
  [PairError, EXIT.untrusted],
  [DamageError, EXIT.damaged],
  [DamagedFileError, EXIT.damaged],
  [NewerCrawlError, EXIT.ledger],
] as const

const SYSTEM_ERRORS: readonly (readonly [codes: readonly string[], what: string, exit: number])[] = [
  [['ELOOP'], 'a symbolic link where a file should be', EXIT.untrusted],
  [['EISDIR'], 'a folder where a file should be', EXIT.damaged],
  [['ENOTDIR', 'ENAMETOOLONG'], 'invalid path', EXIT.config],
  [['EIO', 'DISK_FAILED'], 'the disk failed', EXIT.disk],
  [['EACCES', 'EPERM', 'EROFS'], 'no permission', EXIT.config],
]

/** Ends at once, even if stdout still has data that no one reads. */
function endInterrupted({ message, exitCode }: InterruptedError): never {
  if (message !== '') complain(message, exitCode)
  process.exit(exitCode)
}

/** Adds the command that trusts the directory, if the directory can be trusted. */
function untrustedLine({ message, canBeTrusted }: UntrustedError, argv: readonly string[]): string {
  if (!canBeTrusted) return message
  return `${message}; if you trust it: orbweaver ${argv.map(shellWord).join(' ')} --trust`
}

/** Kinds of ledger errors that have an exit code of their own. */
const LEDGER_EXIT: Partial<Record<LedgerError['kind'], number>> = {
  corrupt: EXIT.damaged,
  full: EXIT.disk,
  missing: EXIT.config,
  taken: EXIT.config,
}

/**
 * No room on the device, in the user's quota, or in a file of limited size; DISK_FULL is the store's own
 * code.
 */
const DISK_FULL: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', 'DISK_FULL'])

function complain(message: string, code: number): number {
  // The message may quote text from the web.
  tell(`orbweaver: ${withoutControls(message)}\n`)
  return code
}

const HELP = `
Examples:
  orbweaver crawl https://example.org                  every page of one site, politely
  orbweaver crawl example.org --max-pages 100 --out my-crawl
  orbweaver query my-crawl "SELECT url, title FROM pages LIMIT 10"
  orbweaver resume my-crawl                            continue where it stopped
  orbweaver verify my-crawl                            check every file for damage
  orbweaver experiment dynamic-balance --quick         repeat a paper's experiment and compare the figures
  orbweaver demo                                       a short demonstration without network access
  orbweaver simulate --small --runs 20                 the crawler in virtual time, with injected faults

Exit codes: 0 done, 1 bug (for robots: disallowed), 3 disk full, 4 bad input, 5 no page could be fetched, 6 directory in use,
  7 ledger unreachable or of a newer version, 8 a file of the crawl or its ledger is damaged,
  9 directory not trusted, or ledger of another directory, 10 page limit reached, 11 interrupted or --timeout,
  12 some sites parked, 13 an experiment missed a target, 14 repaired, but something was lost`
