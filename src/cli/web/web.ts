/** `orbweaver web`: serves a generated web on loopback, or prints what a full crawl of it must find. */
import { Command, Option } from 'commander'
import { systemClock } from '../../compose/index.js'
import type { Clock, Millis } from '../../model/index.js'
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
} from '../../simulate/web/index.js'

import { EXIT, onEndSignal } from '../exit/index.js'
import { WEB_MOST_MS, WEB_PIECE_CHARS } from '../limits.js'
import { amount, collect, whole } from '../options/index.js'
import { sendPieces } from '../output/index.js'
import { serveSnapshot } from './serve-snapshot.js'

interface WebFlags {
  readonly sites: number
  readonly pages: number
  readonly seed: number
  readonly largest: number
  readonly foreign: number
  readonly communities?: number
  readonly communityShare: number
  readonly port: number
  readonly addresses?: boolean
  readonly truth?: boolean
  readonly rank?: boolean
  readonly seeds?: boolean
  readonly latency: number
  readonly latencyJitter: number
  readonly slowSite: readonly string[]
  readonly fail: number
  readonly drop: number
  readonly changePeriod: number
  readonly changeRate: number
  readonly log?: string
  readonly snapshot?: string
  readonly latencyScale: number
}

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

const share = amount(0, 1)

export function webCommand(clock: Clock = systemClock): Command {
  const command = new Command('web')
    .option('--sites <n>', 'number of sites', whole(1, 10_000_000), 40)
    .option('--pages <n>', 'HTML pages of all sites together', whole(1, 4_000_000_000), 20_000)
    .option('--seed <n>', 'seed; the same seed gives the same pages', whole(0, 2 ** 32 - 1), 1)
    .option('--largest <share>', 'share of all pages that the largest site has', share, 0.12)
    .option('--foreign <share>', 'share of links that lead to other sites', share, 0.12)
    .option(
      '--communities <n>',
      'number of groups of sites that link mostly among themselves',
      whole(1, 65_535),
    )
    .option(
      '--community-share <share>',
      'share of the links to other sites that stay within the community',
      share,
      0.7,
    )
    .option('--port <n>', 'port to listen on, 0 for any free one', whole(0, 65_535), 0)
    .option('--addresses', 'give each site its own loopback address, from 127.0.1.1')
    .addOption(
      new Option('--truth', 'print every URL that a full crawl must find, then exit').conflicts('seeds'),
    )
    .option('--rank', 'with --truth: add the PageRank of each page, after a tab')
    .option('--seeds', 'print the home page of every site, then exit')
    .option(
      '--latency <ms>',
      'mean response time; sites differ by up to half of it',
      amount(0, WEB_MOST_MS),
      0,
    )
    .option('--latency-jitter <share>', 'how much the response times of one site differ, 0 to 1', share, 0)
    .addOption(
      new Option('--slow-site <n=ms>', 'number of a site and its own latency; may be repeated')
        .argParser(collect)
        .default([], 'none'),
    )
    .option('--fail <share>', 'share of URLs whose first request is answered with 503', share, 0)
    .option('--drop <share>', 'share of URLs whose first response breaks off', share, 0)
    .option('--change-period <s>', 'interval at which changing pages change; 0: never', amount(0, 1e9), 0)
    .option('--change-rate <share>', 'share of pages that change', share, 0.2)
    .addOption(
      new Option(
        '--snapshot <dir|glob>',
        'serve a stored crawl instead: a crawl directory, or WARC files (quote wildcards)',
      ).conflicts(['truth', 'seeds', 'addresses', 'rank', 'log']),
    )
    .option(
      '--latency-scale <n>',
      'with --snapshot: multiply the recorded response times by this; 0: answer at once',
      amount(0, 1_000),
      1,
    )
    .option('--log <file>', 'append a JSON line per request: start, end, from, site, path, status')
    .addHelpText('after', EXAMPLES)
  const refuse = (message: string): never => command.error(`error: ${message}`, { exitCode: EXIT.config })
  return command.action(async (flags: WebFlags) => {
    const { snapshot: what, port, latencyScale } = flags
    if (what !== undefined)
      return serveSnapshot({ what, port, latencyScale }, clock, interrupted, why =>
        refuse(`--snapshot: ${why}`),
      )
    const plan = planOf(flags, refuse)
    if (flags.rank && !flags.truth) refuse('--rank goes with --truth')
    if (!flags.truth && !flags.seeds) return serve(flags, plan, clock, refuse)
    if (flags.port === 0) refuse('--truth and --seeds need --port: it is part of every URL')
    const authority = flags.addresses ? addressAuthority(flags.port) : namedAuthority(plan, flags.port)
    const all = flags.rank ? rankedTruth : flags.truth ? truth : homes
    await sendPieces(inPieces(all(plan, authority)), process.stdout)
  })
}

type Refuse = (message: string) => never

function planOf(flags: WebFlags, refuse: Refuse): WebPlan {
  const { sites, pages, seed, addresses, largest, foreign, communityShare, communities } = flags
  if (pages < sites) refuse(`--pages ${pages}: ${sites} sites need at least a page each`)
  if (addresses && sites > MOST_ADDRESSES)
    refuse(`--addresses: at most ${MOST_ADDRESSES} sites can have one each`)
  return new WebPlan({
    sites,
    pages,
    seed,
    largestShare: largest,
    foreignShare: foreign,
    topicShare: communityShare,
    ...(communities !== undefined && { communities }),
  })
}

function knobsOf(flags: WebFlags, plan: WebPlan, refuse: Refuse): WebKnobs {
  const { fail, drop, latency, latencyJitter, changeRate, changePeriod } = flags
  if (fail + drop > 1) refuse('--fail and --drop together must be at most 1')
  return {
    latencyMs: latency,
    latencyJitter,
    slowSites: slowSites(flags, plan, refuse),
    failRate: fail,
    dropRate: drop,
    changeRate,
    changePeriodMs: changePeriod * 1_000,
  }
}

function slowSites({ slowSite }: WebFlags, plan: WebPlan, refuse: Refuse): Map<number, Millis> {
  return new Map(
    slowSite.map(text => {
      const [site, ms] = text.split('=').map(Number)
      if (!(Number.isInteger(site) && site >= 0 && site < plan.sites && ms >= 0 && ms <= WEB_MOST_MS))
        refuse(
          `--slow-site ${text}: must be NUMBER=MS, such as 3=2000, with a site number below ${plan.sites}`,
        )
      return [site, ms]
    }),
  )
}

function* homes(plan: WebPlan, authority: Authority): Generator<string> {
  for (let site = 0; site < plan.sites; site++) yield plan.urlOf(site, 0, authority)
}

function* inPieces(lines: Iterable<string>): Generator<string> {
  let piece = ''
  for (const line of lines) {
    piece += `${line}\n`
    if (piece.length < WEB_PIECE_CHARS) continue
    yield piece
    piece = ''
  }
  yield piece
}

async function serve(flags: WebFlags, plan: WebPlan, clock: Clock, refuse: Refuse): Promise<void> {
  const knobs = knobsOf(flags, plan, refuse)
  const { log: path, port, addresses = false } = flags
  const failed = (error: unknown) => refuse(error instanceof Error ? error.message : String(error))
  const log = path === undefined ? undefined : await attempt(() => new RequestLog(path, clock), failed)
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
