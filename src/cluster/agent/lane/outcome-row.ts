/** The row of a settled URL in the table of pages. */

import { type Exchange, type PageRow, withoutMark } from '../../../model/index.js'
import type { FrontierEntry } from '../../../page/frontier/index.js'
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
  const { page, facts, rules } = content
  const words = rules.index && rules.archive ? (page ?? facts) : null
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
    languages: page?.language ?? facts?.languages ?? '',
    truncated: exchange?.truncated ?? '',
    title: words?.title ?? '',
    description: words?.description ?? '',
    canonical: (page ?? facts)?.canonical ?? '',
    redirect: outcome.redirect,
    text: words?.text ?? NO_TEXT,
    outlinks: content.outlinks,
    outlinksForeign: content.foreign,
    // A 304 need not repeat its validators, but the next crawl needs them.
    etag: exchange?.header('etag') ?? content.known?.etag ?? '',
    lastModified: exchange?.header('last-modified') ?? content.known?.lastModified ?? '',
    refersToDate: rules.archive ? (content.revisit?.refersToDate ?? '') : '',
    warcOffset: -1,
    warcLength: 0,
  }
}

function mimeOf(exchange: Exchange | null): string {
  const type = exchange?.header('content-type')
  if (type === undefined) return ''
  const end = type.indexOf(';')
  return (end < 0 ? type : type.slice(0, end)).trim().toLowerCase()
}
