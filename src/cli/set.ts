/** `orbweaver set`: changes settings of a crawl, also while it runs. */
import { Command } from 'commander'
import { ConfigError } from '../config/index.js'
import type { Platform } from '../runtime/platform/index.js'
import { LIVE_SETTINGS, readLiveSetting } from '../runtime/settings/index.js'
import { isRunning, withLedger } from './crawl-ledger.js'
import { type AddressOptions, withAddress } from './options/index.js'
import { tell } from './output/index.js'

export function setCommand(platform: Platform): Command {
  const known = Object.entries(LIVE_SETTINGS).map(([name, { help }]) => `  ${name.padEnd(20)} ${help}`)
  return withAddress(new Command('set'), { store: false })
    .argument('[key=value...]', 'settings and their new values')
    .addHelpText(
      'after',
      `\nSettings:\n${known.join('\n')}\n\nExamples:
  orbweaver set my-crawl delay=2000 rate=5
  orbweaver set --ledger postgres://crawler@db1/crawls --name example rate=5`,
    )
    .action((first: string | undefined, others: string[], options: AddressOptions) => {
      // With --ledger there is no directory, and all arguments are settings.
      const isNamed = options.ledger !== undefined && first !== undefined
      const [directory, pairs] = isNamed ? [undefined, [first, ...others]] : [first, others]
      if (pairs.length === 0) throw new ConfigError('name at least one setting: KEY=VALUE')
      const values = Object.fromEntries(pairs.map(parsePair))
      return withLedger(platform, directory, options, async (ledger, crawl) => {
        await ledger.set(values)
        tell(
          (await isRunning(platform, ledger, crawl))
            ? 'set; takes effect within a second\n'
            : 'set; takes effect at the next resume\n',
        )
      })
    })
}

function parsePair(pair: string): [string, string] {
  const equals = pair.indexOf('=')
  if (equals < 1) throw new ConfigError(`"${pair}" is not KEY=VALUE`)
  const [name, value] = [pair.slice(0, equals), pair.slice(equals + 1)]
  return [name, readLiveSetting(name, value)]
}
