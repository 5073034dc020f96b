/** `orbweaver crawl`: a new crawl. */
import { Command } from 'commander'
import { ConfigError, type CrawlConfig, loadConfig, variableOf } from '../config/index.js'
import { defaultDirectory } from '../runtime/directory/index.js'
import type { Platform } from '../runtime/platform/index.js'
import { createSession } from '../runtime/session/index.js'
import type { Say } from './commands.js'
import { crawlOptions, headingOf, readListen, withGroupedHelp } from './options/index.js'
import { warnOfRobots, watch } from './watch-session.js'

export function crawlCommand(say: Say, platform: Platform): Command {
  const command = new Command('crawl').argument('[url...]', 'seeds: the URLs to start from')
  for (const { group, option } of crawlOptions()) command.addOption(option.helpGroup(headingOf(group)))
  return withGroupedHelp(command)
    .addHelpText('after', HELP)
    .action(async (urls: string[], options: Record<string, unknown>) => {
      const { config: file, json, store, listen, trust, helpAll: _, ...flags } = options
      if (store !== undefined && flags.out !== undefined && store !== flags.out)
        throw new ConfigError('--store and --out are the same: give one of them')
      const config = loadConfig({
        flags: { ...flags, out: flags.out ?? store, seeds: urls.length > 0 ? urls : undefined },
        environment: process.env,
        file: file as string | undefined,
      })
      const directory = config.out ?? defaultDirectory(config, platform.clock.now())
      const session = createSession(platform, config, directory, {
        listen: readListen(listen as string | undefined),
        trust: trust === true,
      })
      warn(config)
      say(await watch(platform.clock, session, directory, json === true))
    })
}

function warn(config: CrawlConfig): void {
  if (config.contact === undefined && config.userAgent === undefined)
    process.stderr.write('orbweaver: no --contact given; site owners cannot see whose crawl this is\n')
  warnOfRobots(config)
}

const HELP = `
Settings can also be given as environment variables (${variableOf('maxPages')} for --max-pages) or in --config FILE.

Examples:
  orbweaver crawl https://example.org
  orbweaver crawl https://example.org/docs/ --scope prefix --out docs
  orbweaver crawl example.org example.net --max-pages 1000 --contact https://me.example/crawl
  orbweaver crawl http://localhost:3000 --allow-private --delay 0
  orbweaver crawl https://example.org --previous example.org-2026-11-01 --out today
  orbweaver crawl https://example.org --ledger postgres://crawler@db1/crawls --name example --store /mnt/example`
