/** `orbweaver migrate`: for whoever sends crawlers to hosts. */
import { Command } from 'commander'
import { homeKeys, newHomeKeys } from '../compose/index.js'
import { print } from './output/index.js'

export function migrateCommand(): Command {
  return new Command('migrate')
    .addCommand(
      new Command('key')
        .description('print the public key of your crawls; a host has to allow it (orbweaver host allow KEY)')
        .option(
          '--home-key <file>',
          'file with the private key, created if it is absent (default: home.key in the state folder)',
        )
        .action(({ homeKey }: { homeKey?: string }) => {
          if (homeKey !== undefined) newHomeKeys(homeKey)
          print(`${homeKeys(homeKey).publicKey}\n`)
        }),
    )
    .addHelpText('after', HELP)
}

const HELP = `
Examples:
  orbweaver migrate key
      the owner of a server allows it with: orbweaver host allow KEY
  orbweaver crawl https://example.org --runtime https://example.org=https://example.org
      the pages of example.org come from its host, everything else from its servers`
