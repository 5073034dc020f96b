/** Pages for `guest try`: from the network, a WARC, a crawl, or files of a folder. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { extname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { JudgedVisit } from '../../cluster/agent/lane/index.js'
import { checkRobots, systemPlatform } from '../../compose/index.js'
import { ConfigError, checkConfig, seedUrl } from '../../config/index.js'
import { LIMITS } from '../../model/index.js'
import { RobotsRules } from '../../page/robots/index.js'
import { responseOf, WarcReader } from '../../page/source/warc/index.js'

export interface TriedPage extends JudgedVisit {
  readonly contentType: string | undefined
}

export interface TrySettings {
  readonly allowPrivate: boolean
  readonly resolve: readonly string[]
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.htm': 'text/html; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
}

/** The first `most` pages of what `source` names. Throws a ConfigError. */
export async function* triedPages(
  source: string,
  most: number,
  settings: TrySettings,
): AsyncGenerator<TriedPage> {
  let left = most
  for await (const page of pagesOf(source, settings)) {
    yield page
    if (--left === 0) return
  }
  if (left === most) throw new ConfigError(`${source} has no page`)
}

function pagesOf(source: string, settings: TrySettings): AsyncGenerator<TriedPage> {
  if (/^https?:\/\//i.test(source)) return fetched(source, settings)
  if (!existsSync(source)) throw new ConfigError(`there is no file ${source}; a URL begins with https://`)
  if (!statSync(source).isDirectory()) return source.includes('.warc') ? archived([source]) : files([source])
  const archive = join(source, 'archive')
  if (!existsSync(archive)) return files(namesIn(source).filter(name => extname(name) in TYPES))
  return archived(namesIn(archive).filter(name => name.includes('.warc')))
}

function namesIn(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return names.sort().map(name => join(folder, name))
}

async function* files(paths: readonly string[]): AsyncGenerator<TriedPage> {
  for (const path of paths) {
    const url = pathToFileURL(resolve(path)).href
    const contentType = TYPES[extname(path)] ?? TYPES['.html']
    yield { ...NO_VISIT, url, status: 200, body: readFileSync(path), contentType }
  }
}

async function* archived(paths: readonly string[]): AsyncGenerator<TriedPage> {
  for (const path of paths) {
    const reader = await WarcReader.open(path)
    try {
      for await (const result of reader.records()) {
        if (!result.ok) throw new ConfigError(`${path} at ${result.offset}: ${result.detail}`)
        const { record } = result
        const url = record.headers.get('warc-target-uri') ?? ''
        const response = record.type === 'response' ? await responseOf(record, LIMITS.bodyBytes) : null
        if (response === null || response.head.status !== 200 || url.endsWith('/robots.txt')) continue
        yield {
          ...NO_VISIT,
          url,
          status: 200,
          body: response.body,
          contentType: response.head.header('content-type'),
        }
      }
    } finally {
      await reader.close()
    }
  }
}

const NO_VISIT = { depth: 0, startedAt: 0, fetchMs: 0 }

async function* fetched(
  source: string,
  { allowPrivate, resolve: names }: TrySettings,
): AsyncGenerator<TriedPage> {
  const url = seedUrl(source)
  if (url === null) throw new ConfigError(`"${source}" is not an http or https URL`)
  await needAllowed(url, allowPrivate, names)
  const fetcher = systemPlatform.openFetcher(checkConfig({ seeds: [url], allowPrivate, resolve: [...names] }))
  try {
    const result = await fetcher.fetch({ url }, new AbortController().signal)
    if (!result.ok) throw new ConfigError(`${url} could not be fetched: ${result.code} ${result.detail}`)
    const { status, body, startedAt, fetchMs } = result.exchange
    if (status !== 200) throw new ConfigError(`${url} answers with status ${status}; give the URL of a page`)
    yield {
      url,
      status,
      body,
      startedAt,
      fetchMs,
      depth: 0,
      contentType: result.exchange.header('content-type'),
    }
  } finally {
    await fetcher.close()
  }
}

async function needAllowed(url: string, allowPrivate: boolean, names: readonly string[]): Promise<void> {
  const look = { url, mode: 'strict', allowPrivate, resolve: names.join(','), dns: undefined } as const
  const { verdict, detail, body } = await checkRobots(look, new AbortController().signal)
  const rules = RobotsRules.parse(body, 'orbweaver')
  const isAllowed = verdict === 'rules' ? rules.allows(url).allowed : verdict === 'allow-all'
  if (!isAllowed)
    throw new ConfigError(`robots.txt does not allow ${url}${detail === '' ? '' : `: ${detail}`}`)
}
