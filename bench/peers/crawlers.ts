import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ORBWEAVER, peerPackage, peerScript } from '../paths.js'

/**
 * A crawler as its own users would set it for speed: no delay, links followed on the given hosts only, pages
 * but not their images, nothing kept unless the name says so.
 */
export interface Crawler {
  readonly name: string
  /** So slow that it gets a few thousand pages and one round. */
  readonly isSlow?: true
  /** Gets all pages, but one round. */
  readonly takesMinutes?: true
  /** Undefined when it is not installed. */
  version(): string | undefined
  /** Run in an empty folder that is deleted afterwards. */
  command(seeds: readonly string[]): readonly string[]
}

export const BARE = 'orbweaver --archive none --tables none'
export const FULL = 'orbweaver, every default on'

const IMAGES_AND_SUCH = 'img,script,link,source,video,audio,embed,object,form'

export const CRAWLERS: readonly Crawler[] = [
  orbweaver(BARE, ['--archive', 'none', '--tables', 'none']),
  orbweaver(FULL, []),
  {
    // Ten threads gave the most pages/s of 2, 5, 10, 20 and 40 at the same CPU. Never with -H, which ignores
    // -D.
    name: 'wget2',
    version: () => firstLine('wget2', ['--version']),
    command: seeds => [
      ...['wget2', '-q', '-r', '-l', '0', '--max-threads=10', '--delete-after'],
      ...[`--ignore-tags=${IMAGES_AND_SUCH}`, '--filter-urls', '-R', 'txt', ...seeds],
    ],
  },
  wget('wget', []),
  wget('wget --warc-file', ['--warc-file=pages']),
  nodePeer('spider-rs', '@spider-rs/spider-rs', 'spider-rs.mjs'),
  { ...nodePeer('Crawlee Http', '@crawlee/http', 'crawlee-http.mjs'), isSlow: true },
  { ...nodePeer('Crawlee Cheerio', '@crawlee/cheerio', 'crawlee-cheerio.mjs'), isSlow: true },
  { ...nodePeer('node-crawler', 'crawler', 'node-crawler.mjs'), isSlow: true },
  {
    name: 'Scrapy',
    isSlow: true,
    version: () => firstLine('scrapy', ['version']),
    command: seeds => [
      ...['scrapy', 'runspider', peerScript('scrapy_spider.py'), '-a', `seeds=${seeds.join(',')}`],
      ...['-s', 'LOG_LEVEL=ERROR', '-s', 'CONCURRENT_REQUESTS=32', '-s', 'CONCURRENT_REQUESTS_PER_DOMAIN=8'],
    ],
  },
]

function orbweaver(name: string, flags: readonly string[]): Crawler {
  return {
    name,
    version: () => versionIn(join(ORBWEAVER, '..', '..', 'package.json')),
    command: seeds => [
      ...[process.execPath, ORBWEAVER, 'crawl', ...seeds, '--out', 'crawl', '--json', ...flags],
      ...['--allow-private', '--delay', '0', '--exclude', '\\.txt$'],
    ],
  }
}

function wget(name: string, flags: readonly string[]): Crawler {
  return {
    name,
    takesMinutes: true,
    version: () => firstLine('wget', ['--version']),
    command: seeds => [
      ...['wget', '-q', '-r', '-l', 'inf', '--delete-after', `--ignore-tags=${IMAGES_AND_SUCH}`],
      ...['-R', 'txt', ...flags, ...seeds],
    ],
  }
}

function nodePeer(name: string, packageName: string, script: string): Crawler {
  return {
    name,
    version: () => versionIn(peerPackage(packageName)),
    command: seeds => [process.execPath, peerScript(script), ...seeds],
  }
}

function versionIn(packageJson: string): string | undefined {
  if (!existsSync(packageJson)) return undefined
  const { version }: { version: string } = JSON.parse(readFileSync(packageJson, 'utf8'))
  return version
}

/** The version number in what the program says of itself. */
function firstLine(program: string, flags: readonly string[]): string | undefined {
  const { status, stdout } = spawnSync(program, flags, { encoding: 'utf8' })
  return status === 0 ? (/\d+(\.\d+)+/.exec(stdout)?.[0] ?? 'unknown') : undefined
}
