/** The row of a settled URL in the table of pages. */

import { type Exchange, type PageRow, withoutMark } from '../../../model/index.js'
import type { FrontierEntry } from '../../../page/frontier/index.js'
import { type Kept, keptBy } from '../../../page/guest/index.js'
import type { PageRules } from '../../../page/robots/index.js'
import type { FetchOutcome } from '../pack/index.js'
import type { Content } from './content.js'

const NO_TEXT = new Uint8Array(0)

export function rowOf(
  lane: number,
  entry: FrontierEntry,
  outcome: FetchOutcome,
  content: Content,
  now: number,
): PageRow {
  const { exchange } = outcome
  const { page, facts, rules, verdict } = content
  const kept = keptBy(verdict ?? null)
  const words = isShown(rules) ? (page ?? facts) : null
  const meta = kept.meta ? (page ?? facts) : undefined
  return {
    url: withoutMark(entry.url),
    outcome: outcome.code,
    fetchedAt: exchange?.startedAt ?? now,
    fetchMs: exchange?.fetchMs ?? 0,
    status: exchange?.status ?? 0,
    depth: entry.depth,
    hops: entry.hops,
    via: entry.via,
    lane,
    attempt: entry.attempt,
    bodyBytes: exchange?.body.length ?? 0,
    digest: content.digest,
    mime: mimeOf(exchange) || (facts?.mime ?? ''),
    mimeDetected: page?.mime ?? facts?.mimeDetected ?? '',
    charset: page?.charset ?? facts?.charset ?? '',
    languages: kept.meta ? (page?.language ?? facts?.languages ?? '') : '',
    truncated: exchange?.truncated ?? '',
    title: (kept.meta ? words?.title : undefined) ?? '',
    description: (kept.meta ? words?.description : undefined) ?? '',
    canonical: meta?.canonical ?? '',
    redirect: outcome.redirect,
    text: (words ? textOf(content, kept) : undefined) ?? NO_TEXT,
    outlinks: kept.meta || kept.links ? content.outlinks : 0,
    outlinksForeign: kept.meta || kept.links ? content.foreign : 0,
    // A 304 need not repeat its validators, but the next crawl needs them.
    etag: exchange?.header('etag') ?? content.known?.etag ?? '',
    lastModified: exchange?.header('last-modified') ?? content.known?.lastModified ?? '',
    kept: verdict ?? '',
    refersToDate: rules.archive && kept.record === 'response' ? (content.revisit?.refersToDate ?? '') : '',
    warcOffset: -1,
    warcLength: 0,
  }
}

/** What a page's rules allow in the tables: its words, and rows made of them. */
export function isShown({ index, archive }: PageRules): boolean {
  return index && archive
}

function textOf({ page, facts, partText }: Content, { text }: Kept): Uint8Array | undefined {
  switch (text) {
    case 'page':
      return (page ?? facts)?.text
    case 'part':
      return partText
    case 'none':
      return undefined
  }
}

function mimeOf(exchange: Exchange | null): string {
  const type = exchange?.header('content-type')
  if (type === undefined) return ''
  const end = type.indexOf(';')
  return (end < 0 ? type : type.slice(0, end)).trim().toLowerCase()
}
