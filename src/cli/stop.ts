/** `orbweaver stop`: commits what was fetched and stops a running crawl. */
import { Command } from 'commander'
import type { Platform } from '../runtime/platform/index.js'
import { examplesOf, needRunning, withLedger } from './crawl-ledger.js'
import { type AddressOptions, againWith, withAddress } from './options/index.js'
import { tell } from './output/index.js'

export function stopCommand(platform: Platform): Command {
  return withAddress(new Command('stop'), { store: false })
    .addHelpText('after', examplesOf('stop'))
    .action((directory: string | undefined, options: AddressOptions) =>
      withLedger(platform, directory, options, async (ledger, crawl) => {
        await needRunning(platform, ledger, crawl)
        await ledger.set({ stop: String(platform.clock.now()) })
        tell(`stopping; to continue later: orbweaver resume ${againWith(crawl)}\n`)
      }),
    )
}
