/** How every command names a crawl: by its directory, or by --ledger and --name. */
import { type Command, Option } from 'commander'
import { type CrawlAddress, type FindPurpose, type FoundCrawl, findCrawl } from '../compose/index.js'
import { ConfigError } from '../config/index.js'
import { shellWord } from '../model/index.js'

/** What commander read of the options below. */
export type AddressOptions = Pick<CrawlAddress, 'ledger' | 'name' | 'store' | 'trust'> & {
  readonly listen?: string
}

/** `store`: whether the command works in the store itself. */
export function withAddress(command: Command, { store }: { readonly store: boolean }): Command {
  command
    .argument('[dir]', 'directory of the crawl')
    .option('--ledger <postgres://user@host/database>', 'or the database its ledger is in, and …')
    .option('--name <name>', '… its name there')
    .addOption(trustOption())
  if (store)
    command
      .option(
        '--store <dir>',
        'where this machine sees the directory of the crawl, or none (as the ledger says)',
      )
      .addOption(listenOption())
  return command
}

export function trustOption(): Option {
  return new Option(
    '--trust',
    'trust this directory from now on, though you did not make it or it was changed: its hooks run, its database is asked',
  )
}

export function listenOption(): Option {
  return new Option(
    '--listen <host:port>',
    'where agents that do not see the store can send their packs, as they call it (this machine only)',
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

export function crawlAt(
  directory: string | undefined,
  options: AddressOptions,
  purpose?: FindPurpose,
): Promise<FoundCrawl> {
  const { ledger, name, store, trust } = options
  return findCrawl({ directory, ledger, name, store, trust }, purpose)
}

/** For messages. */
export function addressOf({ directory, name }: FoundCrawl): string {
  return directory ?? name
}

/** For commands that are meant to be pasted: as it was named. */
export function againWith({ directory, config, name }: FoundCrawl): string {
  if (directory !== null) return shellWord(directory)
  return `--ledger ${shellWord(config.ledger ?? '')} --name ${shellWord(name)} --store DIR`
}
