/** How every command names a crawl: by its directory, or by --ledger and --name. */
import { type Command, Option } from 'commander'
import { ConfigError } from '../../config/index.js'
import { shellWord } from '../../model/index.js'
import type { CrawlAddress, FoundCrawl } from '../../runtime/access/index.js'

/** What commander read of the options below. */
export type AddressOptions = Pick<CrawlAddress, 'ledger' | 'name' | 'store' | 'trust'> & {
  readonly listen?: string
}

/** `store`: whether the command works in the store itself. */
export function withAddress(command: Command, { store }: { readonly store: boolean }): Command {
  command
    .argument('[dir]', 'directory of the crawl')
    .option(
      '--ledger <postgres-url>',
      'instead of the directory: the database that holds the ledger (postgres://user@host/database)',
    )
    .option('--name <name>', 'with --ledger: the name of the crawl in the database')
    .addOption(trustOption())
  if (store)
    command
      .option(
        '--store <dir>',
        'path of the crawl directory on this machine, or none (default: the path in the ledger)',
      )
      .addOption(listenOption())
  return command
}

export function trustOption(): Option {
  return new Option(
    '--trust',
    'trust this directory from now on: run the guest and connect to the database that it names',
  )
}

export function listenOption(): Option {
  return new Option(
    '--listen <host:port>',
    'address of this machine at which agents without access to the store send their packs (default: 127.0.0.1, any port)',
  ).env('ORBWEAVER_LISTEN')
}

export function readListen(text: string | undefined): { host: string; port: number } | undefined {
  if (text === undefined) return undefined
  const [, bracketed, plain, digits] = /^(?:\[([\da-fA-F:]+)\]|([^:[\]]+)):(\d+)$/.exec(text) ?? []
  const host = bracketed ?? plain
  const port = Number(digits)
  if (host === undefined || port > 65_535) throw new ConfigError('--listen must be HOST:PORT')
  return { host, port }
}

/** The crawl in messages. */
export function addressOf({ directory, name }: FoundCrawl): string {
  return directory ?? name
}

/** The crawl as an argument, for commands that the user can paste. */
export function againWith({ directory, config, name }: FoundCrawl): string {
  if (directory !== null) return shellWord(directory)
  return `--ledger ${shellWord(config.ledger ?? '')} --name ${shellWord(name)} --store DIR`
}
