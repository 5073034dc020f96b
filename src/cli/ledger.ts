/** `orbweaver ledger copy`: where the ledger of a crawl is kept. */
import { Command } from 'commander'
import { copyToDatabase, copyToDirectory } from '../compose/index.js'
import { ConfigError } from '../config/index.js'
import { shellWord } from '../model/index.js'
import { trustOption } from './crawl-address.js'
import { tell } from './output.js'
import { number } from './summary.js'

export function ledgerCommand(): Command {
  return new Command('ledger').addCommand(
    new Command('copy')
      .description('move the ledger of a crawl between its directory (SQLite) and PostgreSQL')
      .argument('<from>', 'the directory of the crawl, or postgres://user@host/database')
      .argument('<to>', 'the other of the two')
      .option('--name <name>', 'of the crawl in the database (as it was named)')
      .addOption(trustOption())
      .addHelpText('after', HELP)
      .action(copy),
  )
}

async function copy(
  from: string,
  to: string,
  { name, trust }: { name?: string; trust?: boolean },
): Promise<void> {
  if (isDatabase(from) === isDatabase(to))
    throw new ConfigError('one of the two is a directory, the other a database (postgres://…)')
  if (isDatabase(from) && name === undefined)
    throw new ConfigError('say which crawl: --name, as several share a database')
  const { directory, rows } = isDatabase(from)
    ? await copyToDirectory(from, name ?? '', to, trust)
    : await copyToDatabase(from, to, name, trust)
  tell(`${number(rows)} rows copied; go on with: orbweaver resume ${shellWord(directory)}\n`)
}

function isDatabase(text: string): boolean {
  return /^postgres(?:ql)?:/.test(text)
}

const HELP = `
The pages stay where they are. The crawl must not be running. What was there before is no longer asked: in the directory it is
kept as ledger.db.copied, in the database under its name until a copy takes its place or you drop it.

Examples:
  orbweaver ledger copy my-crawl postgres://crawler@db1/crawls --name example
  orbweaver ledger copy postgres://crawler@db1/crawls my-crawl --name example`
