/** `orbweaver host`: for the owner of a server, who lets crawlers read its pages there. */
import { join } from 'node:path'
import { Command } from 'commander'
import { systemClock as clock, openHostSource, systemRandom as random } from '../compose/index.js'
import { bytes, ConfigError, count } from '../config/index.js'
import {
  allowHome,
  HostServer,
  HostTours,
  initHost,
  openHost,
  readAudit,
  type SiteSource,
} from '../migrate/host/index.js'
import { LIMITS, number, withoutControls } from '../model/index.js'
import { parseUrl } from '../model/url/index.js'
import type { Say } from './commands.js'
import { EXIT, onEndSignal } from './exit/index.js'
import { print, printJson, size, tell } from './output/index.js'

const FOLDER = 'orbweaver-host'

export function hostCommand(say: Say): Command {
  return new Command('host')
    .addCommand(initCommand())
    .addCommand(allowCommand())
    .addCommand(runCommand())
    .addCommand(auditCommand(say))
    .addHelpText('after', HELP)
}

function initCommand(): Command {
  return sub('init', 'create the folder of a host, with its key and an empty policy')
    .option('--name <name>', 'your name or that of your organisation, shown to crawlers and visitors', '')
    .option('--contact <address>', 'where you can be reached', '')
    .action(({ dir, name, contact }: { dir: string; name: string; contact: string }) => {
      const key = initHost(dir, name, contact)
      tell(`${dir} has the key and the policy of this host. Its public key:\n`)
      print(`${key}\n`)
    })
}

interface AllowFlags {
  readonly dir: string
  readonly name?: string
  readonly maxPages?: string
  readonly maxRead?: string
  readonly delay?: string
}

function allowCommand(): Command {
  return sub('allow', 'allow the crawler with this key to send its tours, or change its limits')
    .argument('<key>', 'public key of its home (orbweaver migrate key)')
    .option('--name <name>', 'whose key it is')
    .option('--max-pages <n>', 'pages that one tour may read')
    .option('--max-read <bytes>', 'bytes that one tour may read (500M, 20G)')
    .option('--delay <ms>', 'pause between two requests to your server')
    .action((key: string, { dir, name, maxPages, maxRead, delay }: AllowFlags) => {
      const read = <T>(value: string | undefined, kind: (value: unknown, name: string) => T, flag: string) =>
        value === undefined ? undefined : checked(() => kind(value, flag))
      const more = {
        name,
        maxPages: read(maxPages, count(1, LIMITS.pagesPerSite), '--max-pages'),
        maxReadBytes: read(maxRead, bytes, '--max-read'),
        delayMs: read(delay, count(0, LIMITS.crawlDelayMaxMs), '--delay'),
      }
      const given = Object.fromEntries(Object.entries(more).filter(([, value]) => value !== undefined))
      const home = allowHome(dir, key, given)
      const pause = `${number(home.delayMs)} ms between requests`
      tell(`allowed: ${number(home.maxPages)} pages, ${size(home.maxReadBytes)}, ${pause} for each tour\n`)
    })
}

interface RunFlags {
  readonly dir: string
  readonly site?: readonly string[]
  readonly listen: string
}

function runCommand(): Command {
  const many = (value: string, list: readonly string[] = []) => [...list, value]
  return sub('run', 'wait for tours of allowed crawlers, until Ctrl-C')
    .option('--site <origin=server>', 'a site and the local server that has its pages; may be repeated', many)
    .option(
      '--listen <host:port>',
      'where your web server passes /.well-known/orbweaver/ on to',
      '127.0.0.1:7070',
    )
    .action(async ({ dir, site = [], listen }: RunFlags) => {
      if (site.length === 0) throw new ConfigError('--site is required: which site do you want to have read?')
      const sources = site.map(sourceOf)
      const [address, port] = listenAddress(listen)
      const folder = openHost(dir)
      const { homes } = folder.policy()
      const parts = { clock, random, folder, sources, productToken: 'orbweaver' }
      const server = await listening(parts, address, port, listen)
      tell(`${sources.map(({ origin }) => origin).join(', ')}: ${homes.length} crawlers are allowed\n`)
      print(`listening on http://${address}:${server.port}/.well-known/orbweaver/\n`)
      await new Promise<void>(resolve => {
        const unsubscribe = onEndSignal(() => {
          unsubscribe()
          resolve()
        })
      })
      await server.close()
    })
}

async function listening(
  parts: ConstructorParameters<typeof HostTours>[0],
  address: string,
  port: number,
  listen: string,
): Promise<HostServer> {
  try {
    return await HostServer.listen(parts, new HostTours(parts), address, port)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'EADDRINUSE' && code !== 'EADDRNOTAVAIL' && code !== 'EACCES') throw error
    throw new ConfigError(`--listen ${listen}: ${(error as Error).message}`)
  }
}

function auditCommand(say: Say): Command {
  return sub('audit', 'show who sent what, what was read and what left, and check that the log is whole')
    .option('--json', 'print one JSON object on stdout')
    .action(({ dir, json }: { dir: string; json?: boolean }) => {
      openHost(dir)
      const { entries, problems } = readAudit(join(dir, 'audit.jsonl'))
      if (json) printJson({ entries, problems })
      else
        for (const { at, event, home, site, pages, kept, bytes: sent, detail } of entries)
          print(
            `${withoutControls([at, event, site, `${pages} pages`, `${kept} kept`, `${sent} bytes`, detail, home].join('  '))}\n`,
          )
      for (const problem of problems) tell(`orbweaver: audit.jsonl: ${problem}\n`)
      say(problems.length > 0 ? EXIT.damaged : EXIT.done)
    })
}

function sub(name: string, about: string): Command {
  return new Command(name).description(about).option('--dir <dir>', 'folder of the host', FOLDER)
}

/** `https://example.org=http://127.0.0.1:8080` */
function sourceOf(text: string): SiteSource {
  const [, origin = '', address = '', port = ''] =
    /^(https?:\/\/[^/=]+)\/?=http:\/\/(127\.\d+\.\d+\.\d+|\[::1\]|localhost):(\d{1,5})\/?$/.exec(text) ?? []
  if (origin === '' || parseUrl(origin) !== `${origin}/` || Number(port) > 65_535)
    throw new ConfigError(
      `--site ${text}: write it like https://example.org=http://127.0.0.1:8080, with a server on this machine`,
    )
  const at = address === 'localhost' ? '127.0.0.1' : address.replace(/[[\]]/g, '')
  return { origin, open: () => openHostSource({ address: at, port: Number(port) }) }
}

function listenAddress(text: string): readonly [address: string, port: number] {
  const [, address = '', port = ''] = /^(\[[0-9a-f:]+\]|[^:]+):(\d{1,5})$/.exec(text) ?? []
  if (address === '' || Number(port) > 65_535)
    throw new ConfigError(`--listen ${text}: write it like 127.0.0.1:7070`)
  return [address.replace(/[[\]]/g, ''), Number(port)]
}

function checked<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw new ConfigError((error as Error).message)
  }
}

const HELP = `
Your web server passes /.well-known/orbweaver/ and /.well-known/orbweaver.json on to this program, which listens on loopback
only. Crawlers read the pages of your local server, and nothing else: what robots.txt forbids, what needs a password and what
no link leads to stays out of reach.

Examples:
  orbweaver host init --name 'City library' --contact https://example.org/contact
  orbweaver host allow ed25519:KEY --name 'National archive' --delay 20
  orbweaver host run --site https://example.org=http://127.0.0.1:8080
  orbweaver host audit`
