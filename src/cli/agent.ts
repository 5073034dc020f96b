/** `orbweaver agent`: another process that crawls for a crawl whose ledger is in PostgreSQL. */
import { Command } from 'commander'
import { boundHeap, JoinedAgent } from '../compose/index.js'
import { ConfigError, FIELDS } from '../config/index.js'
import type { Say } from './commands.js'
import { EXIT } from './exit-codes.js'

const SIGNALS = ['SIGINT', 'SIGTERM'] as const

export function agentCommand(say: Say): Command {
  return new Command('agent')
    .argument('<dir>', 'directory of the crawl, which this machine must see')
    .option('--lanes <n>', 'sites crawled at the same time (as the crawl was asked for)')
    .addHelpText(
      'after',
      `
Joins a crawl that "orbweaver crawl … --ledger postgres://…" or "orbweaver resume" runs, from any machine that sees its
directory and its database. Ctrl-C, or kill, at any time: nothing acknowledged is lost.

Example:
  orbweaver agent /shared/my-crawl`,
    )
    .action(async (directory: string, options: { lanes?: string }) => {
      boundHeap()
      const agent = new JoinedAgent(directory, lanesOf(options.lanes))
      const stop = () => agent.stop()
      for (const signal of SIGNALS) process.on(signal, stop)
      process.stderr.write(`${agent.name} joins ${directory}\n`)
      try {
        say((await agent.run()) === 'ended' ? EXIT.done : EXIT.interrupted)
      } finally {
        for (const signal of SIGNALS) process.off(signal, stop)
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
