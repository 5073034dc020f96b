/** `orbweaver checkpoint`: makes everything that is fetched so far durable. */

import { Command } from 'commander'
import { ConfigError } from '../config/index.js'
import { plural, sleep } from '../model/index.js'
import type { Platform } from '../runtime/platform/index.js'
import { examplesOf, needRunning, withLedger } from './crawl-ledger.js'
import { CHECKPOINT_LOOK_MS, CHECKPOINT_WAIT_MS } from './limits.js'
import { type AddressOptions, addressOf, withAddress } from './options/index.js'
import { tell } from './output/index.js'

export function checkpointCommand(platform: Platform): Command {
  return withAddress(new Command('checkpoint'), { store: false })
    .addHelpText('after', examplesOf('checkpoint'))
    .action((directory: string | undefined, options: AddressOptions) =>
      withLedger(platform, directory, options, async (ledger, crawl) => {
        await needRunning(platform, ledger, crawl)
        const asked = String(platform.clock.now())
        await ledger.set({ 'checkpoint.asked': asked })
        for (let waited = 0; waited < CHECKPOINT_WAIT_MS; waited += CHECKPOINT_LOOK_MS) {
          if ((await ledger.settings())['checkpoint.done'] === asked) {
            tell(`checkpoint done: ${plural((await ledger.totals()).pages, 'page')} acknowledged\n`)
            return
          }
          await sleep(platform.clock, CHECKPOINT_LOOK_MS)
        }
        throw new ConfigError(`${addressOf(crawl)} did not answer within ${CHECKPOINT_WAIT_MS / 1000} s`)
      }),
    )
}
