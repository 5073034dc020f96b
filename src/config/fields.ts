/**
 * What a crawl can be asked for: one table behind command line flags, config file, ORBWEAVER_* variables and
 * the library's options. Text is accepted wherever a number or a list is meant, because flags and variables
 * are text. (A schema library would do the same; loading one costs more CPU than crawling three hundred
 * pages.)
 */

import { LIMITS } from '../model/index.js'
import { ASSIGNMENTS, NET_KINDS } from './assignments.js'
import { readBlacklist } from './blacklist.js'
import {
  address,
  archive,
  bodySize,
  delay,
  graphSetting,
  ledger,
  nameServer,
  network,
  parts,
  phaseSetting,
  positiveOrZero,
  resolution,
  seconds,
  sitemap,
  splitting,
  traps,
} from './crawl-kinds.js'
import { bytes, choice, count, flag, list, optional, pattern, positive, text, withDefault } from './kinds.js'

export const FIELDS = {
  out: field('--out <dir>', 'where to put the crawl (./<host>-<date>)', optional(text)),
  name: field('--name <name>', 'name of the crawl, used in file names (the host)', optional(text)),
  ledger: field(
    '--ledger <postgres://user@host/database>',
    'keep the ledger of the crawl in PostgreSQL, under --name; the password is read from PGPASSWORD or PGPASSFILE',
    optional(ledger),
  ),
  scope: field(
    '--scope <what>',
    'page, prefix, host, domain or any: how far to go from the seeds (host)',
    withDefault(choice('page', 'prefix', 'host', 'domain', 'any'), 'host'),
  ),
  include: field('--include <regex>', 'only URLs that match one of these; may be repeated', list(pattern)),
  exclude: field('--exclude <regex>', 'no URL that matches one of these; may be repeated', list(pattern)),
  blacklist: field(
    '--blacklist <host|@file>',
    'hosts and domains to leave alone, or a file of them; may be repeated',
    (value, name) => readBlacklist(list(text)(value, name)),
  ),
  sitemap: field(
    '--sitemap <url|robots|none>',
    'sitemaps to read; robots: those robots.txt names, the default without --max-depth; may be repeated',
    list(sitemap),
  ),
  traps: field(
    '--traps <rules>',
    'rules against endless sites: all, none, some (calendar,facets) or all but some (no-calendar) (all)',
    traps,
  ),
  maxPagesPerSite: field(
    '--max-pages-per-site <n>',
    `take at most this many pages of one site (${LIMITS.pagesPerSite / 1e6} million)`,
    withDefault(count(1), LIMITS.pagesPerSite),
  ),
  maxPages: field('--max-pages <n>', 'stop after this many pages', optional(count(1))),
  maxDepth: field('--max-depth <n>', 'follow at most this many links from a seed', optional(count(0))),
  order: field(
    '--order <how>',
    'which page of a site is next: breadth (first found) or inlinks (most links found to it) (breadth)',
    withDefault(choice('breadth', 'inlinks'), 'breadth'),
  ),
  truth: field(
    '--truth <file>',
    'every URL there is, a line each, with its rank after a tab (orbweaver web --truth --rank): makes coverage and quality exact',
    optional(text),
  ),
  maxWait: field(
    '--max-wait <s>',
    'set a site aside that wants a longer wait than this (600)',
    withDefault(positive, 600),
  ),
  previous: field(
    '--previous <dir>',
    'crawl again: ask only for what changed since that crawl',
    optional(text),
  ),
  agents: field(
    '--agents <n>',
    'agents that crawl, each in a thread of its own when there are several (1)',
    withDefault(count(1, 64), 1),
  ),
  sourceAddress: field(
    '--source-address <address>',
    'address of this machine to call from, one for each agent in turn; may be repeated',
    list(address),
  ),
  lanes: field('--lanes <n>', 'sites crawled at the same time (1000)', withDefault(count(1, 100_000), 1_000)),
  assign: field(
    '--assign <how>',
    'which agent gets a site: dynamic (the agent with the least to do takes the head of the queue), hash, static-random, static-size, phases (nodes by URL, hosts by the clock), or, by what the --previous crawl learned, graph, hypergraph or hybrid (dynamic)',
    withDefault(choice(...ASSIGNMENTS), 'dynamic'),
  ),
  phases: field(
    '--phases <name=n,…>',
    'with --assign phases: nodes (agents), phases (nodes), period and guard in seconds (10 or a few less with many phases, 0.25), and the bucket: columns, rows, list, window',
    list(phaseSetting),
  ),
  graph: field(
    '--graph <name=n,…>',
    'with --assign graph: vertices=site or address (address), and how much each counts: links (1), rtt (0.2), change, similarity, geography (0)',
    list(graphSetting),
  ),
  parts: field(
    '--parts <n|a:b:…>',
    'with graph, hypergraph and hybrid: into how many parts known sites are split, or the shares of the parts (as many as --agents; as large as agents were able in the --previous crawl)',
    optional(parts),
  ),
  nets: field(
    '--nets <page|site>',
    'with hypergraph and hybrid: keep the messages of pages few, or those of sites that send all their links at once (page)',
    withDefault(choice(...NET_KINDS), 'page'),
  ),
  assignSeed: field(
    '--assign-seed <n>',
    'of the chances that an assignment takes: the same number, the same choices',
    optional(count(0)),
  ),
  repartition: field(
    '--repartition <s>',
    'with an assignment that learns: look so often whether sites would be better placed with other agents, 0 never (60)',
    withDefault(positiveOrZero, 60),
  ),
  splitSites: field(
    '--split-sites <auto|n|off>',
    'split a giant site into cells by path for several agents, which share its politeness turn: auto, with graph, hypergraph and hybrid, one that the --previous crawl found heavier than a part; n, with any, one in which more than n URLs wait (auto)',
    withDefault(splitting, 'auto'),
  ),
  slices: field(
    '--slices <on|off>',
    'on: a long site gives its lane to others now and then, and an agent that has run dry takes sites over (on)',
    withDefault(choice('on', 'off'), 'on'),
  ),
  connections: field('--connections <n>', 'connections in all (1000)', withDefault(count(1, 10_000), 1_000)),
  connectionsPerSite: field(
    '--connections-per-site <n>',
    'connections to one site (1)',
    withDefault(count(1, 1_000), 1),
  ),
  delay: field(
    '--delay <ms|auto>',
    'pause between requests to a site; auto: 10x its response time, 1-30 s (auto)',
    withDefault(delay, 'auto'),
  ),
  maxCrawlDelay: field(
    '--max-crawl-delay <s>',
    'skip sites whose robots.txt asks for a longer Crawl-delay than this (120)',
    withDefault(positive, LIMITS.crawlDelayMaxMs / 1000),
  ),
  rate: field('--rate <n>', 'at most this many pages per second in all', optional(positive)),
  bandwidth: field(
    '--bandwidth <bytes>',
    'at most this many bytes per second in all (500k, 20M)',
    optional(bytes),
  ),
  robots: field(
    '--robots <mode>',
    'strict, rfc9309 (4xx means no rules), or ignore for your own sites (strict)',
    withDefault(choice('strict', 'rfc9309', 'ignore'), 'strict'),
  ),
  robotsRetry: field(
    '--robots-retry <s>',
    'ask again after this for a robots.txt that could not be read (3600)',
    withDefault(positive, 3_600),
  ),
  robotsFailures: field(
    '--robots-failures <n>',
    'give a site up after so many failures in a row to read its robots.txt (5)',
    withDefault(count(1), 5),
  ),
  robotsRecheck: field(
    '--robots-recheck <s>',
    'read each robots.txt again after this (86400)',
    withDefault(positive, 86_400),
  ),
  userAgent: field('--user-agent <text>', 'who to say we are', optional(text)),
  contact: field(
    '--contact <url>',
    'where a site owner can read about this crawl or reach you',
    optional(text),
  ),
  hooks: field(
    '--hooks <file>',
    'module that exports accept(url), score(url) and/or onPage(page)',
    optional(text),
  ),
  archive: field(
    '--archive <kind>',
    'gzip, gzip:LEVEL (1-9), zstd, zstd:LEVEL (1-19) or none (gzip, level 1)',
    withDefault(archive, 'gzip'),
  ),
  tables: field(
    '--tables <kind>',
    'parquet or none (parquet)',
    withDefault(choice('parquet', 'none'), 'parquet'),
  ),
  links: field(
    '--links <which>',
    'rows of the links table: foreign or all (foreign)',
    withDefault(choice('foreign', 'all'), 'foreign'),
  ),
  types: field(
    '--types <list>',
    'keep only these content types, e.g. text/html,application/pdf (all)',
    list(text),
  ),
  assets: field(
    '--assets',
    'also fetch images, scripts, styles and media of the pages',
    withDefault(flag, false),
  ),
  group: field(
    '--group <how>',
    'sites that share one politeness turn: of one domain, of one domain or one address (ip), or none (domain)',
    withDefault(choice('domain', 'ip', 'none'), 'domain'),
  ),
  allowPrivate: field('--allow-private', 'allow localhost and private addresses', withDefault(flag, false)),
  allowNetwork: field(
    '--allow-network <addr/bits>',
    'allow the private addresses of this network only; may be repeated',
    list(network),
  ),
  resolve: field(
    '--resolve <host=addr>',
    'fixed address for a host or *.suffix; may be repeated',
    list(resolution),
  ),
  dns: field('--dns <addr:port>', 'name server to ask instead of the system', optional(nameServer)),
  fetchTimeout: field(
    '--fetch-timeout <s>',
    'give a response up that has not ended after this long (120)',
    withDefault(seconds(3_600), LIMITS.fetchMs / 1_000),
  ),
  maxBody: field(
    '--max-body <bytes>',
    'cut bodies that are longer, as sent or decoded (32Mi)',
    withDefault(bodySize, LIMITS.bodyBytes),
  ),
  tries: field(
    '--tries <n>',
    'ask at most this often for what fails (1 to 5, by the kind of failure)',
    optional(count(1, 5)),
  ),
  minFreeDisk: field(
    '--min-free-disk <bytes>',
    'pause when the disk has less than this left (512Mi)',
    withDefault(bytes, 512 * 1024 * 1024),
  ),
}

type Fields = typeof FIELDS
type Name = keyof Fields
type Output<K extends Name> = ReturnType<Fields[K]['read']>

/** Everything a crawl is asked for, checked and with defaults filled in. */
export type CrawlConfig = { readonly [K in Name]: Output<K> } & { readonly seeds: readonly string[] }

/** The same as a user may write it: only the seeds are needed. */
export type CrawlConfigInput = { readonly [K in Name]?: Output<K> | string | undefined } & {
  readonly seeds: string | readonly string[]
}

export interface Field<T> {
  readonly flag: string
  readonly help: string
  /** May be given several times. */
  readonly many: boolean
  /** Throws a TypeError with one line when `value` is not what is meant. */
  readonly read: (value: unknown, name: string) => T
}

function field<T>(flag: string, help: string, read: (value: unknown, name: string) => T): Field<T> {
  return { flag, help, many: help.endsWith('may be repeated'), read }
}
