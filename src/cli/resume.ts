/** `orbweaver resume`: goes on with a crawl. */
import { Command } from 'commander'
import { ConfigError, type CrawlConfig, readSetting } from '../config/index.js'
import { findCrawl } from '../runtime/access/index.js'
import type { Platform } from '../runtime/platform/index.js'
import { resumeSession } from '../runtime/session/index.js'
import type { Say } from './commands.js'
import { type AddressOptions, readListen, withAddress } from './options/index.js'
import { warnOfRobots, watch } from './watch-session.js'

export function resumeCommand(say: Say, platform: Platform): Command {
  return withAddress(new Command('resume'), { store: true })
    .option('--robots <mode>', 'strict, rfc9309 or ignore, for this run (default: the setting of the crawl)')
    .option(
      '--agents <n>',
      'number of agents in this process, for this run (default: the setting of the crawl)',
    )
    .option(
      '--lanes <n>',
      'number of sites that one agent crawls at the same time, for this run (default: the setting of the crawl)',
    )
    .option(
      '--restored',
      'the ledger was restored from a backup that is older than the directory: move files that it does not list to quarantine/ and fetch their pages again',
    )
    .option('--json', 'print the report as one JSON object on stdout')
    .addHelpText('after', RESUME_HELP)
    .action(async (directory: string | undefined, options: ResumeOptions) => {
      const crawl = await findCrawl(platform, { ...options, directory }, 'resume')
      if (crawl.directory === null)
        throw new ConfigError(
          `the store of "${crawl.name}" is not visible on this machine; give its path with --store`,
        )
      const session = resumeSession(platform, crawl.directory, {
        robots: changed('robots', options.robots),
        agents: changed('agents', options.agents),
        lanes: changed('lanes', options.lanes),
        ledger: options.ledger === undefined ? undefined : { url: options.ledger, name: crawl.name },
        restored: options.restored,
        listen: readListen(options.listen),
        trust: options.trust,
      })
      warnOfRobots(session.config)
      say(await watch(platform.clock, session, directory ?? crawl.directory, options.json === true))
    })
}

type ResumeOptions = AddressOptions & {
  json?: boolean
  robots?: string
  agents?: string
  lanes?: string
  restored?: boolean
}

/** A setting for this run only; undefined when it stays as it was. */
function changed<K extends 'robots' | 'agents' | 'lanes'>(
  name: K,
  value: string | undefined,
): CrawlConfig[K] | undefined {
  return value === undefined ? undefined : readSetting(name, value)
}

const RESUME_HELP = `
Examples:
  orbweaver resume example.org-2026-11-15
  orbweaver resume my-crawl --agents 8
  orbweaver resume crawl-of-a-colleague --trust
  orbweaver resume --ledger postgres://crawler@db1/crawls --name example --store /mnt/example`
