/**
 * The settings of a crawl: one table behind command line flags, config file, ORBWEAVER_* variables and the
 * library's options. Text is accepted for numbers and lists, because flags and variables are text. (A schema
 * library would do the same, but loading one costs more CPU than crawling three hundred pages.)
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
  runtime,
  seconds,
  sitemap,
  source,
  splitting,
  traps,
} from './crawl-kinds.js'
import { bytes, choice, count, flag, list, optional, pattern, positive, text, withDefault } from './kinds.js'

/** Headings under which `crawl --help-all` and the reference list the options, in this order. */
export const OPTION_GROUPS = {
  basics: 'Basics',
  scope: 'Scope',
  politeness: 'Politeness',
  output: 'Output',
  agents: 'Several agents',
  assignment: 'Assignment',
  network: 'Network',
  limits: 'Limits',
  guests: 'Guests',
  advanced: 'Advanced',
} as const

export type OptionGroup = keyof typeof OPTION_GROUPS

/**
 * `fallback` is the default as a user would type it. A test reads it with the field's own reader and compares
 * the result with what the reader returns for an absent value.
 */
export const FIELDS = {
  out: field('basics', '--out <dir>', 'directory for the new crawl', optional(text), './<host>-<date>'),
  scope: field(
    'basics',
    '--scope <what>',
    'how far to follow links from the seeds: page, prefix, host, domain or any',
    withDefault(choice('page', 'prefix', 'host', 'domain', 'any'), 'host'),
    'host',
  ),
  maxPages: field('basics', '--max-pages <n>', 'stop after this many pages', optional(count(1)), 'no limit'),
  maxDepth: field(
    'basics',
    '--max-depth <n>',
    'follow at most this many links from a seed',
    optional(count(0)),
    'no limit',
  ),
  previous: field(
    'basics',
    '--previous <dir>',
    'crawl again: download only what changed since the crawl in that directory',
    optional(text),
  ),
  contact: field(
    'basics',
    '--contact <url>',
    'page or address in the User-Agent header by which a site owner can reach you',
    optional(text),
  ),
  include: repeatable(
    'scope',
    '--include <regex>',
    'follow only URLs that match one of these',
    list(pattern),
  ),
  exclude: repeatable('scope', '--exclude <regex>', 'follow no URL that matches one of these', list(pattern)),
  blacklist: repeatable(
    'scope',
    '--blacklist <host|@file>',
    'never request this host or domain; @file names a file with one per line',
    (value, name) => readBlacklist(list(text)(value, name)),
  ),
  sitemap: repeatable(
    'scope',
    '--sitemap <url|robots|none>',
    'read this sitemap; robots: the sitemaps that robots.txt names (the default without --max-depth); none: no sitemap',
    list(sitemap),
  ),
  traps: field(
    'scope',
    '--traps <rules>',
    'rules against endless sites: all, none, only some (calendar,facets) or all but some (no-calendar)',
    traps,
    'all',
  ),
  assets: field(
    'scope',
    '--assets',
    'also fetch images, scripts, style sheets and media of the pages',
    withDefault(flag, false),
  ),
  delay: field(
    'politeness',
    '--delay <ms|auto>',
    'pause between requests to a site, in milliseconds; auto: 10 times its last response time, 1 to 30 s',
    withDefault(delay, 'auto'),
    'auto',
  ),
  maxCrawlDelay: field(
    'politeness',
    '--max-crawl-delay <s>',
    'skip a site whose robots.txt asks for a longer Crawl-delay than this many seconds',
    withDefault(positive, LIMITS.crawlDelayMaxMs / 1000),
    '120',
  ),
  maxWait: field(
    'politeness',
    '--max-wait <s>',
    'park a site whose next request is further away than this many seconds',
    withDefault(positive, 600),
    '600',
  ),
  connectionsPerSite: field(
    'politeness',
    '--connections-per-site <n>',
    'open at most this many connections to one site',
    withDefault(count(1, 1_000), 1),
    '1',
  ),
  group: field(
    'politeness',
    '--group <how>',
    'sites that share one politeness turn: of one domain (domain), of one domain or IP address (ip), or none',
    withDefault(choice('domain', 'ip', 'none'), 'domain'),
    'domain',
  ),
  rate: field(
    'politeness',
    '--rate <n>',
    'send at most this many requests per second to all sites together',
    optional(positive),
    'no limit',
  ),
  bandwidth: field(
    'politeness',
    '--bandwidth <bytes>',
    'read at most this many body bytes per second in total (500k, 20M)',
    optional(bytes),
    'no limit',
  ),
  robots: field(
    'politeness',
    '--robots <mode>',
    'how to read robots.txt: strict, rfc9309 (a 4xx answer means no rules), or ignore for your own sites',
    withDefault(choice('strict', 'rfc9309', 'ignore'), 'strict'),
    'strict',
  ),
  robotsRetry: field(
    'politeness',
    '--robots-retry <s>',
    'retry a robots.txt that could not be read after this many seconds',
    withDefault(positive, 3_600),
    '3600',
  ),
  robotsFailures: field(
    'politeness',
    '--robots-failures <n>',
    'give up a site after this many consecutive failures to read its robots.txt',
    withDefault(count(1), 5),
    '5',
  ),
  robotsRecheck: field(
    'politeness',
    '--robots-recheck <s>',
    'read each robots.txt again after this many seconds',
    withDefault(positive, 86_400),
    '86400',
  ),
  userAgent: field(
    'politeness',
    '--user-agent <text>',
    'value of the User-Agent header',
    optional(text),
    'orbweaver/<version> (+<contact>)',
  ),
  name: field(
    'output',
    '--name <name>',
    'name of the crawl, used in file names and in the PostgreSQL schema',
    optional(text),
    'host of the first seed',
  ),
  archive: field(
    'output',
    '--archive <kind>',
    'compression of the WARC files: gzip or gzip:LEVEL (1-9; gzip is level 1), zstd or zstd:LEVEL (1-19), or none for no archive',
    withDefault(archive, 'gzip'),
    'gzip',
  ),
  tables: field(
    'output',
    '--tables <kind>',
    'write Parquet tables (parquet) or no tables (none)',
    withDefault(choice('parquet', 'none'), 'parquet'),
    'parquet',
  ),
  links: field(
    'output',
    '--links <which>',
    'rows of the links table: only links to other sites (foreign), or all',
    withDefault(choice('foreign', 'all'), 'foreign'),
    'foreign',
  ),
  types: field(
    'output',
    '--types <list>',
    'keep only these content types, for example text/html,application/pdf',
    list(text),
    'all types',
  ),
  agents: field(
    'agents',
    '--agents <n>',
    'number of agents; with more than one, each crawls in its own thread',
    withDefault(count(1, 64), 1),
    '1',
  ),
  lanes: field(
    'agents',
    '--lanes <n>',
    'number of sites that one agent crawls at the same time',
    withDefault(count(1, 100_000), 1_000),
    '1000',
  ),
  slices: field(
    'agents',
    '--slices <on|off>',
    'on: a long site yields its lane to other sites from time to time, and an idle agent takes over sites of others',
    withDefault(choice('on', 'off'), 'on'),
    'on',
  ),
  ledger: field(
    'agents',
    '--ledger <postgres-url>',
    'keep the ledger of the crawl in PostgreSQL (postgres://user@host/database), under --name; the password is read from PGPASSWORD or PGPASSFILE',
    optional(ledger),
    'SQLite in the crawl directory',
  ),
  assign: field(
    'assignment',
    '--assign <how>',
    'which agent gets a site: dynamic (the agent with the least load), hash, static-random, static-size, phases (nodes by URL, hosts by the clock), or, from what the --previous crawl learned, graph, hypergraph or hybrid',
    withDefault(choice(...ASSIGNMENTS), 'dynamic'),
    'dynamic',
  ),
  phases: field(
    'assignment',
    '--phases <name=n,…>',
    'settings of --assign phases: nodes (as many as agents), phases (as many as nodes), period (10 seconds, less with many phases), guard (0.25 seconds), and the bucket: columns, rows, list, window',
    list(phaseSetting),
  ),
  graph: field(
    'assignment',
    '--graph <name=n,…>',
    'settings of --assign graph: vertices=site or address (address), and the weight of each objective: links (1), rtt (0.2), change, similarity, geography (0)',
    list(graphSetting),
  ),
  parts: field(
    'assignment',
    '--parts <n|a:b:…>',
    'with graph, hypergraph and hybrid: number of parts that known sites are split into, or the relative sizes of the parts',
    optional(parts),
    'one part per agent, sized by its capacity in the --previous crawl',
  ),
  nets: field(
    'assignment',
    '--nets <page|site>',
    'with hypergraph and hybrid: what to minimise. page: messages of single pages; site: messages of sites that send all their links in one',
    withDefault(choice(...NET_KINDS), 'page'),
    'page',
  ),
  assignSeed: field(
    'assignment',
    '--assign-seed <n>',
    'seed of the random choices of an assignment: the same seed gives the same choices',
    optional(count(0)),
    'random',
  ),
  repartition: field(
    'assignment',
    '--repartition <s>',
    'with graph, hypergraph and hybrid: check this often, in seconds, whether sites should move to other agents; 0: never',
    withDefault(positiveOrZero, 60),
    '60',
  ),
  splitSites: field(
    'assignment',
    '--split-sites <auto|n|off>',
    'split a giant site by path into cells for several agents, which share its politeness turn. auto: with graph, hypergraph and hybrid, a site that the --previous crawl found heavier than a part; n: with any assignment, a site with more than n queued URLs',
    withDefault(splitting, 'auto'),
    'auto',
  ),
  source: repeatable(
    'network',
    '--source <prefix=spec>',
    'read the URLs below a prefix from a directory (dir:PATH), from WARC files (warc:PATH, with wildcards) or from another server (http://HOST:PORT) instead of the server that they name',
    list(source),
  ),
  allowPrivate: field(
    'network',
    '--allow-private',
    'allow requests to localhost and private addresses',
    withDefault(flag, false),
  ),
  allowNetwork: repeatable(
    'network',
    '--allow-network <addr/bits>',
    'allow requests to the private addresses of this network only',
    list(network),
  ),
  resolve: repeatable(
    'network',
    '--resolve <host=addr>',
    'use this address, with an optional port, for a host or *.suffix instead of DNS',
    list(resolution),
  ),
  dns: field(
    'network',
    '--dns <addr:port>',
    'name server to use',
    optional(nameServer),
    "the system's resolver",
  ),
  sourceAddress: repeatable(
    'network',
    '--source-address <address>',
    'local address to send requests from; agents take turns when there are several',
    list(address),
  ),
  runtime: repeatable(
    'network',
    '--runtime <site=url>',
    'send a tour to the host at this URL instead of requesting the pages of the site one by one; #KEY after the URL names the key of the host',
    list(runtime),
  ),
  homeKey: field(
    'network',
    '--home-key <file>',
    'private key that signs tours',
    optional(text),
    'home.key in the state folder; orbweaver migrate key shows the public key',
  ),
  connections: field(
    'network',
    '--connections <n>',
    'open at most this many connections in total',
    withDefault(count(1, 10_000), 1_000),
    '1000',
  ),
  fetchTimeout: field(
    'limits',
    '--fetch-timeout <s>',
    'abort a response that is not complete after this many seconds',
    withDefault(seconds(3_600), LIMITS.fetchMs / 1_000),
    '120',
  ),
  maxBody: field(
    'limits',
    '--max-body <bytes>',
    'truncate a body that is longer than this, as sent or after decoding',
    withDefault(bodySize, LIMITS.bodyBytes),
    '32Mi',
  ),
  tries: field(
    'limits',
    '--tries <n>',
    'send at most this many requests for a URL that fails',
    optional(count(1, 5)),
    '1 to 5, depending on the failure',
  ),
  maxPagesPerSite: field(
    'limits',
    '--max-pages-per-site <n>',
    'fetch at most this many pages of one site',
    withDefault(count(1), LIMITS.pagesPerSite),
    String(LIMITS.pagesPerSite),
  ),
  minFreeDisk: field(
    'limits',
    '--min-free-disk <bytes>',
    'pause while the disk has less free space than this',
    withDefault(bytes, 512 * 1024 * 1024),
    '512Mi',
  ),
  guest: field(
    'guests',
    '--guest <file>',
    'module that judges pages and extracts rows: select, filter, extract, accept, score; runs in a sandbox',
    optional(text),
  ),
  trusted: field(
    'guests',
    '--trusted',
    'run the guest in this process, with all your rights: only for code of your own',
    withDefault(flag, false),
  ),
  keywords: field(
    'guests',
    '--keywords <list>',
    'keep pages with these words, separated by commas; links of other pages are followed all the same',
    list(text),
  ),
  minKeywords: field(
    'guests',
    '--min-keywords <n>',
    'keep pages in which the keywords occur at least this often, all together',
    withDefault(count(1), 1),
    '1',
  ),
  keep: field(
    'guests',
    '--keep <what>',
    'what a page keeps that the guest or the keywords want: page, part, text, meta or links',
    optional(choice('page', 'part', 'text', 'meta', 'links')),
    'page, or part if the guest has a filter',
  ),
  order: field(
    'advanced',
    '--order <how>',
    'which URL of a site is next: breadth (first found) or inlinks (the one with the most known links to it)',
    withDefault(choice('breadth', 'inlinks'), 'breadth'),
    'breadth',
  ),
  truth: field(
    'advanced',
    '--truth <file>',
    'file with all URLs of the web, one per line, each with an optional rank after a tab: makes the reported coverage and quality exact',
    optional(text),
  ),
}

type Fields = typeof FIELDS
type Name = keyof Fields
type Output<K extends Name> = ReturnType<Fields[K]['read']>

/** Everything a crawl is asked for, checked and with defaults filled in. */
export type CrawlConfig = { readonly [K in Name]: Output<K> } & { readonly seeds: readonly string[] }

/** A configuration as a user may write it: only the seeds are required. */
export type CrawlConfigInput = { readonly [K in Name]?: Output<K> | string | undefined } & {
  readonly seeds: string | readonly string[]
}

export interface Field<T> {
  readonly group: OptionGroup
  readonly flag: string
  /** One sentence without the default. */
  readonly help: string
  /** The default as a user would type it, or in words where there is nothing to type. */
  readonly fallback: string | undefined
  /** May be given several times. */
  readonly isRepeatable: boolean
  /** Throws a TypeError with one line when the value is not acceptable. */
  readonly read: (value: unknown, name: string) => T
}

function field<T>(
  group: OptionGroup,
  flag: string,
  help: string,
  read: Field<T>['read'],
  fallback?: string,
): Field<T> {
  return { group, flag, help, fallback, isRepeatable: false, read }
}

function repeatable<T>(group: OptionGroup, flag: string, help: string, read: Field<T>['read']): Field<T> {
  return { group, flag, help, fallback: undefined, isRepeatable: true, read }
}

/** The help text of an option as a terminal shows it. */
export function optionHelp({ help, fallback, isRepeatable }: Omit<Field<unknown>, 'read'>): string {
  const repeated = isRepeatable ? '; may be repeated' : ''
  return `${help}${repeated}${fallback === undefined ? '' : ` (default: ${fallback})`}`
}
