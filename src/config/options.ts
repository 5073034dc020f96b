/** Flag, environment variable and help of every field of the schema, in the order `--help` shows them. */
import type { CrawlConfig } from './schema.js'

export interface Option {
  readonly key: Exclude<keyof CrawlConfig, 'seeds'>
  readonly flag: string
  readonly help: string
  /** May be given several times. */
  readonly many?: true
}

export const CRAWL_OPTIONS: readonly Option[] = [
  { key: 'out', flag: '--out <dir>', help: 'where to put the crawl (./<host>-<date>)' },
  { key: 'name', flag: '--name <name>', help: 'name of the crawl, used in file names (the host)' },
  {
    key: 'scope',
    flag: '--scope <what>',
    help: 'page, prefix, host, domain or any: how far to go from the seeds (host)',
  },
  {
    key: 'include',
    flag: '--include <regex>',
    help: 'only URLs that match one of these; may be repeated',
    many: true,
  },
  {
    key: 'exclude',
    flag: '--exclude <regex>',
    help: 'no URL that matches one of these; may be repeated',
    many: true,
  },
  { key: 'maxPages', flag: '--max-pages <n>', help: 'stop after this many pages' },
  { key: 'maxDepth', flag: '--max-depth <n>', help: 'follow at most this many links from a seed' },
  {
    key: 'maxWait',
    flag: '--max-wait <s>',
    help: 'set a site aside that wants a longer wait than this (600)',
  },
  {
    key: 'previous',
    flag: '--previous <dir>',
    help: 'crawl again: ask only for what changed since that crawl',
  },
  { key: 'lanes', flag: '--lanes <n>', help: 'sites crawled at the same time (1000)' },
  { key: 'connections', flag: '--connections <n>', help: 'connections in all (1000)' },
  { key: 'connectionsPerSite', flag: '--connections-per-site <n>', help: 'connections to one site (1)' },
  {
    key: 'delay',
    flag: '--delay <ms|auto>',
    help: 'pause between requests to a site; auto: 10x its response time, 1-30 s (auto)',
  },
  { key: 'rate', flag: '--rate <n>', help: 'at most this many pages per second in all' },
  {
    key: 'bandwidth',
    flag: '--bandwidth <bytes>',
    help: 'at most this many bytes per second in all (500k, 20M)',
  },
  { key: 'robots', flag: '--robots <mode>', help: 'rfc9309, or ignore for your own sites (rfc9309)' },
  { key: 'userAgent', flag: '--user-agent <text>', help: 'who to say we are' },
  {
    key: 'contact',
    flag: '--contact <url>',
    help: 'where a site owner can read about this crawl or reach you',
  },
  {
    key: 'hooks',
    flag: '--hooks <file>',
    help: 'module that exports accept(url), score(url) and/or onPage(page)',
  },
  { key: 'archive', flag: '--archive <kind>', help: 'gzip, gzip:LEVEL, zstd or none (gzip, level 1)' },
  { key: 'tables', flag: '--tables <kind>', help: 'parquet or none (parquet)' },
  { key: 'links', flag: '--links <which>', help: 'rows of the links table: foreign or all (foreign)' },
  {
    key: 'types',
    flag: '--types <list>',
    help: 'keep only these content types, e.g. text/html,application/pdf (all)',
  },
  { key: 'assets', flag: '--assets', help: 'also fetch images, scripts, styles and media of the pages' },
  {
    key: 'group',
    flag: '--group <how>',
    help: 'sites that share one politeness turn: domain, ip or none (domain)',
  },
  { key: 'allowPrivate', flag: '--allow-private', help: 'allow localhost and private addresses' },
  {
    key: 'resolve',
    flag: '--resolve <host=addr>',
    help: 'fixed address for a host or *.suffix; may be repeated',
    many: true,
  },
  { key: 'dns', flag: '--dns <addr:port>', help: 'name server to ask instead of the system' },
  {
    key: 'minFreeDisk',
    flag: '--min-free-disk <bytes>',
    help: 'pause when the disk has less than this left (512Mi)',
  },
]
