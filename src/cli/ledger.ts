/** `orbweaver ledger copy`: where the ledger of a crawl is kept. */
import { Command } from 'commander'
import { ConfigError } from '../config/index.js'
import { number, shellWord } from '../model/index.js'
import { copyToDatabase, copyToDirectory } from '../runtime/access/index.js'
import type { Platform } from '../runtime/platform/index.js'
import { trustOption } from './options/index.js'
import { tell } from './output/index.js'

export function ledgerCommand(platform: Platform): Command {
  return new Command('ledger').addCommand(
    new Command('copy')
      .description('move the ledger of a crawl between its directory (SQLite) and PostgreSQL')
      .argument('<from>', 'directory of the crawl, or postgres://user@host/database')
      .argument('<to>', 'database or directory to copy the ledger to')
      .option('--name <name>', 'name of the crawl in the database (default: the name of the crawl)')
      .addOption(trustOption())
      .addHelpText('after', HELP)
      .action((from: string, to: string, options: CopyOptions) => copy(platform, from, to, options)),
  )
}

interface CopyOptions {
  readonly name?: string
  readonly trust?: boolean
}

async function copy(
  platform: Platform,
  from: string,
  to: string,
  { name, trust }: CopyOptions,
): Promise<void> {
  if (isDatabase(from) === isDatabase(to))
    throw new ConfigError('copy from a directory to a database (postgres://…) or back')
  if (isDatabase(from) && name === undefined)
    throw new ConfigError('--name is required: a database can have several crawls')
  const { directory, rows } = isDatabase(from)
    ? await copyToDirectory(platform, from, name ?? '', to, trust)
    : await copyToDatabase(platform, from, to, name, trust)
  tell(`${number(rows)} rows copied; continue with: orbweaver resume ${shellWord(directory)}\n`)
}

function isDatabase(text: string): boolean {
  return /^postgres(?:ql)?:/.test(text)
}

const HELP = `
The pages stay where they are. The crawl must not be running. Commands refuse the old ledger from then on. In a directory it
is kept as ledger.db.copied; in a database it is kept under its name until you drop it or copy the ledger back.

Examples:
  orbweaver ledger copy my-crawl postgres://crawler@db1/crawls --name example
  orbweaver ledger copy postgres://crawler@db1/crawls my-crawl --name example`
