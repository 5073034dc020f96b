/** `orbweaver robots`: tells whether robots.txt allows a URL for an agent, and which line decides. */
import { createReadStream } from 'node:fs'
import { Command, Option } from 'commander'
import { checkRobots } from '../compose/index.js'
import { ConfigError, seedUrl } from '../config/index.js'
import { LIMITS, withoutControls } from '../model/index.js'
import { normaliseUrl } from '../model/url/index.js'
import { looksBinary, RobotsRules, type RobotsVerdict } from '../page/robots/index.js'
import type { Say } from './commands.js'
import { EXIT } from './exit/index.js'
import { collect } from './options/index.js'
import { print, printJson } from './output/index.js'

interface RobotsFlags {
  readonly agent: string
  readonly url: string
  readonly robots: 'strict' | 'rfc9309'
  readonly allowPrivate?: boolean
  readonly resolve?: readonly string[]
  readonly dns?: string
  readonly json?: boolean
}

/** The robots.txt that was read, or why it has no rules. */
interface Found {
  readonly body: Uint8Array
  /** The verdict if no line decides, because there are no rules or because everything is refused. */
  readonly without: { readonly allowed: boolean; readonly reason: string } | null
}

const EXAMPLES = `
Prints "allowed" or "disallowed" and the line that decided. Exit codes: 0 allowed, 1 disallowed, 4 bad input.
Without FILE it requests the robots.txt of the URL's site in the same way as a crawl.

Examples:
  $ orbweaver robots --url https://example.org/private/page
  $ orbweaver robots --agent examplebot --url https://example.org/page robots.txt
  $ curl -s https://example.org/robots.txt | orbweaver robots --url /page -`

export function robotsCommand(say: Say): Command {
  return new Command('robots')
    .argument('[file]', 'robots.txt file, or - for stdin (default: request it from the site)')
    .option('--agent <name>', 'product token of the crawler', 'orbweaver')
    .requiredOption('--url <url>', 'URL to check; with FILE, a path is enough')
    .addOption(
      new Option('--robots <mode>', 'how to treat a robots.txt that cannot be read')
        .choices(['strict', 'rfc9309'])
        .default('strict'),
    )
    .option('--allow-private', 'allow localhost and private addresses')
    .option('--resolve <host=addr>', 'use this address for a host instead of DNS; may be repeated', collect)
    .option('--dns <addr:port>', "name server to use (default: the system's resolver)")
    .option('--json', 'print one JSON object on stdout')
    .addHelpText('after', EXAMPLES)
    .action(async (file: string | undefined, flags: RobotsFlags) => {
      const url = urlOf(flags.url, file !== undefined)
      const found = file === undefined ? await live(url, flags) : asText(await read(file))
      const rules = RobotsRules.parse(found.body, flags.agent)
      const verdict: RobotsVerdict = found.without ?? rules.allows(url)
      if (flags.json) printJson(jsonOf(url, flags, found, rules, verdict))
      else print(linesOf(found, verdict))
      say(verdict.allowed ? EXIT.done : EXIT.disallowed)
    })
}

function urlOf(typed: string, hasFile: boolean): string {
  const url = hasFile && typed.startsWith('/') ? normaliseUrl(`http://any.invalid${typed}`) : seedUrl(typed)
  if (url === null)
    throw new ConfigError(`"${typed}" is not an http or https URL; write it like https://example.org/page`)
  return url
}

async function live(url: string, flags: RobotsFlags): Promise<Found> {
  const { robots: mode, allowPrivate = false, resolve = [], dns } = flags
  const look = { url, mode, allowPrivate, resolve: resolve.join(','), dns }
  const { verdict, detail, body } = await checkRobots(look, new AbortController().signal)
  if (verdict === 'rules') return { body, without: null }
  return { body, without: { allowed: verdict === 'allow-all', reason: detail } }
}

/** Reads at most a little more than a crawl would use of a robots.txt. */
async function read(file: string): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of file === '-' ? process.stdin : createReadStream(file)) {
      chunks.push(chunk as Buffer)
      bytes += (chunk as Buffer).length
      if (bytes > LIMITS.robotsBytes) break
    }
  } catch (error) {
    throw new ConfigError(`cannot read ${file === '-' ? 'stdin' : file}: ${(error as Error).message}`)
  }
  return Buffer.concat(chunks)
}

function asText(body: Buffer): Found {
  const isText = !looksBinary(body)
  return isText
    ? { body, without: null }
    : { body: NOTHING, without: { allowed: true, reason: 'it is not text' } }
}

const NOTHING = Buffer.alloc(0)

function linesOf(found: Found, { allowed, line }: RobotsVerdict): string {
  const reason = found.without?.reason ?? (line ? `line ${line.number}: ${line.text}` : 'no line forbids it')
  return `${allowed ? 'allowed' : 'disallowed'}\n${withoutControls(reason)}\n`
}

function jsonOf(
  url: string,
  flags: RobotsFlags,
  found: Found,
  rules: RobotsRules,
  { allowed, line }: RobotsVerdict,
): object {
  const { crawlDelayMs, sitemaps } = rules
  const reason = found.without?.reason ?? null
  return { url, agent: flags.agent, allowed, line: line ?? null, reason, crawlDelayMs, sitemaps }
}
