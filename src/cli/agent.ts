/** `orbweaver agent`: another process that crawls for a crawl whose ledger is in PostgreSQL. */
import { Command } from 'commander'
import { readSetting } from '../config/index.js'
import { findCrawl } from '../runtime/access/index.js'
import type { Platform } from '../runtime/platform/index.js'
import { JoinedAgent } from '../runtime/session/index.js'
import { boundHeap } from '../runtime/threads/index.js'
import type { Say } from './commands.js'
import { EXIT, onEndSignal } from './exit/index.js'
import { type AddressOptions, addressOf, readListen, withAddress } from './options/index.js'
import { tell } from './output/index.js'

export function agentCommand(say: Say, platform: Platform): Command {
  return withAddress(new Command('agent'), { store: true })
    .option('--lanes <n>', 'number of sites to crawl at the same time (default: the setting of the crawl)')
    .addHelpText(
      'after',
      `
Joins a crawl that "orbweaver crawl … --ledger postgres://…" or "orbweaver resume" has started, from any machine that reaches
the database. The settings of the crawl are in the ledger. An agent that sees the store can take over as coordinator. An agent
that does not see it sends its packs to the coordinator, which needs --listen if it runs on another machine.
An agent can be interrupted or killed at any time: nothing acknowledged is lost.

Examples:
  orbweaver agent --ledger postgres://crawler@db1,db2/crawls --name example
  orbweaver agent --ledger postgres://crawler@db1/crawls --name example --store /mnt/example
  orbweaver agent /shared/my-crawl`,
    )
    .action(async (directory: string | undefined, options: AddressOptions & { lanes?: string }) => {
      boundHeap()
      const crawl = await findCrawl(platform, { ...options, directory })
      const agent = new JoinedAgent(platform, crawl, {
        lanes: options.lanes === undefined ? undefined : readSetting('lanes', options.lanes),
        listen: readListen(options.listen),
      })
      const unsubscribe = onEndSignal(() => agent.stop())
      const onJoin = () => tell(`${agent.name} joins ${addressOf(crawl)}\n`)
      const tellLine = (line: string) => tell(`orbweaver: ${line}\n`)
      try {
        say((await agent.run({ onJoin, tell: tellLine })) === 'ended' ? EXIT.done : EXIT.interrupted)
      } finally {
        unsubscribe()
      }
    })
}
