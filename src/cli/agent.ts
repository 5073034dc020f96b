/** `orbweaver agent`: another process that crawls for a crawl whose ledger is in PostgreSQL. */
import { Command } from 'commander'
import { ConfigError, FIELDS } from '../config/index.js'
import type { Platform } from '../runtime/platform/index.js'
import { JoinedAgent } from '../runtime/session/index.js'
import { boundHeap } from '../runtime/threads/index.js'
import type { Say } from './commands.js'
import { EXIT, onEndSignal } from './exit/index.js'
import { type AddressOptions, addressOf, crawlAt, readListen, withAddress } from './options/index.js'
import { tell } from './output/index.js'

export function agentCommand(say: Say, platform: Platform): Command {
  return withAddress(new Command('agent'), { store: true })
    .option('--lanes <n>', 'sites crawled at the same time (as the crawl was asked for)')
    .addHelpText(
      'after',
      `
Joins a crawl that "orbweaver crawl … --ledger postgres://…" or "orbweaver resume" began, from any machine that reaches its
database. What the crawl is asked for is in the ledger. An agent that sees the store takes over as coordinator when the one
there is is gone; one that does not sends its packs to the coordinator, which needs --listen if it is on another machine.
Ctrl-C, or kill, at any time: nothing acknowledged is lost.

Examples:
  orbweaver agent --ledger postgres://crawler@db1,db2/crawls --name example
  orbweaver agent --ledger postgres://crawler@db1/crawls --name example --store /mnt/example
  orbweaver agent /shared/my-crawl`,
    )
    .action(async (directory: string | undefined, options: AddressOptions & { lanes?: string }) => {
      boundHeap()
      const crawl = await crawlAt(platform, directory, options)
      const agent = new JoinedAgent(platform, crawl, {
        lanes: lanesOf(options.lanes),
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

function lanesOf(text: string | undefined): number | undefined {
  try {
    return text === undefined ? undefined : FIELDS.lanes.read(text, '--lanes')
  } catch (error) {
    throw new ConfigError((error as Error).message)
  }
}
