/** `orbweaver web`: serves a generated web on loopback, or prints what a full crawl of it must find. */
import { Command, Option } from 'commander'
import { systemClock } from '../compose/index.js'
import type { Clock, Millis } from '../model/index.js'
import {
  type Authority,
  addressAuthority,
  MOST_ADDRESSES,
  namedAuthority,
  RequestLog,
  rankedTruth,
  seedUrl,
  truth,
  type WebCounts,
  type WebKnobs,
  WebPlan,
  WebServer,
} from '../simulate/web/index.js'
import { EXIT, onEndSignal } from './exit/index.js'
import { serveSnapshot } from './serve-snapshot.js'

/** The options as the user typed them; `WebFlags` parses and checks each. */
type RawFlags = Readonly<Record<string, string | boolean | readonly string[] | undefined>>

const EXAMPLES = `
Examples:
  $ orbweaver web --port 8080
      40 sites and 20,000 pages at http://s00.test:8080/, s01.test, ...
      (crawl it with --resolve '*.test=127.0.0.1'; for other crawlers the server is an HTTP proxy)
  $ orbweaver web --port 8080 --truth | sort > truth.txt
      every URL that a full crawl must find, the seed first
  $ orbweaver web --port 8080 --truth --rank > ranks.tsv
      the same with the PageRank of each page: orbweaver crawl --truth ranks.tsv reports exact coverage and quality
  $ orbweaver web --port 8080 --addresses --latency 50 --log requests.jsonl
      each site on its own address, slow, with a log of all requests
  $ orbweaver web --port 8080 --snapshot my-crawl --latency-scale 0
      the pages of a stored crawl, under the names of their sites, as fast as possible
  $ orbweaver web --port 8080 --fail 0.02 --drop 0.01 --change-period 60
      2 % of the URLs answer 503 once, 1 % break off once, every fifth page changes each minute`

export function webCommand(clock: Clock = systemClock): Command {
  const command = new Command('web')
    .option('--sites <n>', 'number of sites', '40')
    .option('--pages <n>', 'HTML pages of all sites together', '20000')
    .option('--seed <n>', 'seed; the same seed gives the same pages', '1')
    .option('--largest <share>', 'share of all pages that the largest site has', '0.12')
    .option('--foreign <share>', 'share of links that lead to other sites', '0.12')
    .option('--communities <n>', 'number of groups of sites that link mostly among themselves')
    .option(
      '--community-share <share>',
      'share of the links to other sites that stay within the community',
      '0.7',
    )
    .option('--port <n>', 'port to listen on, 0 for any free one', '0')
    .option('--addresses', 'give each site its own loopback address, from 127.0.1.1')
    .addOption(
      new Option('--truth', 'print every URL that a full crawl must find, then exit').conflicts('seeds'),
    )
    .option('--rank', 'with --truth: add the PageRank of each page, after a tab')
    .option('--seeds', 'print the home page of every site, then exit')
    .option('--latency <ms>', 'mean response time; sites differ by up to half of it', '0')
    .option('--latency-jitter <share>', 'how much the response times of one site differ, 0 to 1', '0')
    .addOption(
      new Option('--slow-site <n=ms>', 'number of a site and its own latency; may be repeated')
        .argParser(collect)
        .default([], 'none'),
    )
    .option('--fail <share>', 'share of URLs whose first request is answered with 503', '0')
    .option('--drop <share>', 'share of URLs whose first response breaks off', '0')
    .option('--change-period <s>', 'interval at which changing pages change; 0: never', '0')
    .option('--change-rate <share>', 'share of pages that change', '0.2')
    .addOption(
      new Option(
        '--snapshot <dir|glob>',
        'serve a stored crawl instead: a crawl directory, or WARC files (quote wildcards)',
      ).conflicts(['truth', 'seeds', 'addresses', 'rank', 'log']),
    )
    .option(
      '--latency-scale <n>',
      'with --snapshot: multiply the recorded response times by this; 0: answer at once',
      '1',
    )
    .option('--log <file>', 'append a JSON line per request: start, end, from, site, path, status')
    .addHelpText('after', EXAMPLES)
  return command.action(async (raw: RawFlags) => {
    const flags = new WebFlags(command, raw)
    if (flags.text('snapshot') !== '') {
      const settings = {
        what: flags.text('snapshot'),
        port: flags.port(),
        latencyScale: flags.latencyScale(),
      }
      return serveSnapshot(settings, clock, interrupted, why => flags.refuse(`--snapshot: ${why}`))
    }
    const plan = flags.plan()
    if (flags.isSet('rank') && !flags.isSet('truth')) flags.refuse('--rank goes with --truth')
    if (flags.isSet('rank')) await print(rankedTruth(plan, flags.authority(plan)))
    else if (flags.isSet('truth')) await print(truth(plan, flags.authority(plan)))
    else if (flags.isSet('seeds')) await print(homes(plan, flags.authority(plan)))
    else await serve(command, flags, plan, clock)
  })
}

function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value]
}

class WebFlags {
  readonly #command: Command
  readonly #raw: RawFlags

  constructor(command: Command, raw: RawFlags) {
    this.#command = command
    this.#raw = raw
  }

  isSet(name: string): boolean {
    return this.#raw[name] === true
  }

  text(name: string): string {
    const value = this.#raw[name]
    return typeof value === 'string' ? value : ''
  }

  refuse(message: string): never {
    return this.#command.error(`error: ${message}`, { exitCode: EXIT.config })
  }

  plan(): WebPlan {
    const sites = this.#whole('sites', 1, 10_000_000)
    const pages = this.#whole('pages', 1, 4_000_000_000)
    if (pages < sites) this.refuse(`--pages ${pages}: ${sites} sites need at least a page each`)
    if (this.isSet('addresses') && sites > MOST_ADDRESSES) {
      this.refuse(`--addresses: at most ${MOST_ADDRESSES} sites can have one each`)
    }
    const seed = this.#whole('seed', 0, 2 ** 32 - 1)
    return new WebPlan({
      sites,
      pages,
      seed,
      largestShare: this.#number('largest', 0, 1),
      foreignShare: this.#number('foreign', 0, 1),
      topicShare: this.#number('communityShare', 0, 1),
      ...(this.text('communities') !== '' && { communities: this.#whole('communities', 1, 65_535) }),
    })
  }

  latencyScale(): number {
    return this.#number('latencyScale', 0, 1_000)
  }

  port(): number {
    return this.#whole('port', 0, 65_535)
  }

  /** For lists that are printed without serving: their URLs hold the port. */
  authority(plan: WebPlan): Authority {
    const port = this.port()
    if (port === 0) this.refuse('--truth and --seeds need --port: it is part of every URL')
    return this.isSet('addresses') ? addressAuthority(port) : namedAuthority(plan, port)
  }

  knobs(plan: WebPlan): WebKnobs {
    const failRate = this.#number('fail', 0, 1)
    const dropRate = this.#number('drop', 0, 1)
    if (failRate + dropRate > 1) this.refuse('--fail and --drop together must be at most 1')
    return {
      latencyMs: this.#number('latency', 0, 600_000),
      latencyJitter: this.#number('latencyJitter', 0, 1),
      slowSites: this.#slowSites(plan),
      failRate,
      dropRate,
      changeRate: this.#number('changeRate', 0, 1),
      changePeriodMs: this.#number('changePeriod', 0, 1e9) * 1_000,
    }
  }

  #slowSites(plan: WebPlan): Map<number, Millis> {
    const slow = new Map<number, Millis>()
    const given = this.#raw.slowSite
    for (const text of Array.isArray(given) ? given : []) {
      const [site, ms] = String(text).split('=').map(Number)
      if (!(Number.isInteger(site) && site >= 0 && site < plan.sites && ms >= 0 && ms <= 600_000)) {
        this.refuse(
          `--slow-site ${text}: must be NUMBER=MS, such as 3=2000, with a site number below ${plan.sites}`,
        )
      }
      slow.set(site, ms)
    }
    return slow
  }

  #whole(name: string, least: number, most: number): number {
    const value = this.#number(name, least, most)
    if (!Number.isInteger(value)) this.refuse(`--${dashed(name)} ${value}: must be a whole number`)
    return value
  }

  #number(name: string, least: number, most: number): number {
    const text = this.text(name)
    const value = text.trim() === '' ? Number.NaN : Number(text)
    if (!(value >= least && value <= most)) {
      this.refuse(`--${dashed(name)} ${text}: must be a number from ${least} to ${most}`)
    }
    return value
  }
}

function dashed(name: string): string {
  return name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)
}

function* homes(plan: WebPlan, authority: Authority): Generator<string> {
  for (let site = 0; site < plan.sites; site++) yield plan.urlOf(site, 0, authority)
}

/**
 * Prints lines to stdout with back-pressure. Ends without an error when the reader closes the pipe, as `head`
 * does.
 */
async function print(lines: Iterable<string>): Promise<void> {
  let gone = false
  const leave = () => {
    gone = true
  }
  process.stdout.on('error', leave)
  let text = ''
  const flush = () => new Promise<void>(resolve => process.stdout.write(text, () => resolve()))
  for (const line of lines) {
    text += `${line}\n`
    if (text.length < 64 * 1024) continue
    await flush()
    text = ''
    if (gone) return
  }
  await flush()
}

async function serve(command: Command, flags: WebFlags, plan: WebPlan, clock: Clock): Promise<void> {
  const knobs = flags.knobs(plan)
  const port = flags.port()
  const path = flags.text('log')
  const addresses = flags.isSet('addresses')
  const failed = (error: unknown): never => {
    const why = error instanceof Error ? error.message : String(error)
    return command.error(`error: ${why}`, { exitCode: EXIT.config })
  }
  const log = path === '' ? undefined : await attempt(() => new RequestLog(path, clock), failed)
  const onServed = log && { onServed: log.add.bind(log) }
  const web = await attempt(
    () => WebServer.listen(plan, { ...knobs, ...onServed, clock, port, addresses }),
    failed,
  )
  process.stderr.write(`${invitation(web, addresses)}\n`)
  await interrupted()
  await web.close()
  log?.close()
  process.stderr.write(`${account(web.counts())}\n`)
}

async function attempt<T>(task: () => T | Promise<T>, failed: (error: unknown) => never): Promise<T> {
  try {
    return await task()
  } catch (error) {
    return failed(error)
  }
}

function invitation(web: WebServer, addresses: boolean): string {
  const resolve = addresses ? '' : " --resolve '*.test=127.0.0.1'"
  const crawl = `orbweaver crawl ${seedUrl(web.authority)} --scope any${resolve} --allow-private --delay 0`
  return `Serving ${web.plan.sites} sites, ${web.plan.pages} pages (Ctrl-C ends it). Crawl them: ${crawl}`
}

function interrupted(): Promise<void> {
  return new Promise(resolve => {
    const unsubscribe = onEndSignal(() => {
      unsubscribe()
      resolve()
    })
  })
}

function account(counts: WebCounts): string {
  const parts = Object.entries(counts).filter(([, count]) => count > 0)
  return parts.length === 0
    ? 'No requests were received.'
    : parts.map(([name, count]) => `${name} ${count}`).join(', ')
}
