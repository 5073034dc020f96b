/**
 * One real crawl over a hostile web, and what it left behind, read by tools that share nothing with its
 * writer.
 */
import { createReadStream, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { WARCParser } from 'warcio'
import { openTables } from '../../src/data/query/index.js'
import { checkWarcs, type WarcCheck } from '../kit/crawled.js'
import { type Ended, orbweaver, temporary } from '../kit/orbweaver.js'
import { GOOD, type HostileWeb } from './hostile-web.js'

/** A row of the pages table, as far as these tests look at it. */
export interface Row {
  readonly url: string
  readonly outcome: string
  readonly truncated: string
  readonly title: string
  readonly text: string
  readonly charset: string
  readonly mimeDetected: string
  readonly redirect: string
  readonly outlinks: number
  readonly bodyBytes: number
  readonly fetchMs: number
}

/** A response record of the archive. */
export interface Archived {
  readonly status: number
  readonly truncated: string
  readonly payloadBytes: number
}

export interface Crawled {
  readonly directory: string
  readonly end: Ended
  readonly events: readonly string[]
  /** By URL. */
  readonly rows: ReadonlyMap<string, Row>
  readonly archived: ReadonlyMap<string, Archived>
  readonly warc: WarcCheck
  readonly report: {
    readonly outcomes: Readonly<Record<string, number>>
    readonly troubledSites: readonly { site: string; code: string; detail: string }[]
    readonly robots: { readonly refusedSites: readonly { origin: string; status: number; detail: string }[] }
  }
  readonly peakBytes: number
}

const PEAK = pathToFileURL(join(import.meta.dirname, '../kit/peak-memory.js')).href

export interface CrawlWish {
  readonly seeds: readonly string[]
  readonly flags?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

/** Crawls the seeds and the good site together. The web is closed afterwards. */
export async function crawlHostile(web: HostileWeb, wish: CrawlWish): Promise<Crawled> {
  const directory = temporary('crawl')
  const peakFile = join(dirname(directory), 'peak')
  const args = [
    'crawl',
    ...wish.seeds,
    `http://${GOOD}/`,
    ...['--resolve', `*.test=127.0.0.1:${web.port}`, '--delay', '0', '--tries', '1'],
    ...['--contact', 'https://example.org/', '--out', directory],
    ...(wish.flags ?? []),
  ]
  const env = { NODE_OPTIONS: `--import=${PEAK}`, ORBWEAVER_TEST_PEAK_FILE: peakFile, ...wish.env }
  const end = await orbweaver(args, env)
  await web.close()
  return {
    directory,
    end,
    events: web.events,
    rows: await rowsOf(directory),
    archived: await responsesOf(directory),
    warc: await checkWarcs(directory),
    report: JSON.parse(readFileSync(join(directory, 'report.json'), 'utf8')) as Crawled['report'],
    peakBytes: Number(readFileSync(peakFile, 'utf8')),
  }
}

async function rowsOf(directory: string): Promise<Map<string, Row>> {
  const tables = await openTables(directory)
  const rows = new Map<string, Row>()
  try {
    for await (const row of tables.query('SELECT * FROM pages')) {
      const url = String(row.url)
      rows.set(url, {
        url,
        outcome: String(row.outcome),
        truncated: String(row.content_truncated ?? ''),
        title: String(row.title ?? ''),
        text: String(row.text ?? ''),
        charset: String(row.content_charset ?? ''),
        mimeDetected: String(row.content_mime_detected ?? ''),
        redirect: String(row.redirect_target ?? ''),
        outlinks: Number(row.outlinks ?? 0),
        bodyBytes: Number(row.body_bytes ?? 0),
        fetchMs: Number(row.fetch_ms ?? 0),
      })
    }
  } finally {
    await tables.close()
  }
  return rows
}

async function responsesOf(directory: string): Promise<Map<string, Archived>> {
  const found = new Map<string, Archived>()
  for (const file of readdirSync(join(directory, 'archive')).filter(name => name.includes('.warc'))) {
    for await (const record of new WARCParser(createReadStream(join(directory, 'archive', file)))) {
      if (record.warcType !== 'response') continue
      const payload = await record.readFully(false)
      found.set(record.warcTargetURI ?? '', {
        status: Number(record.httpHeaders?.statusCode),
        truncated: record.warcHeaders.headers.get('WARC-Truncated') ?? '',
        payloadBytes: payload.length,
      })
    }
  }
  return found
}
