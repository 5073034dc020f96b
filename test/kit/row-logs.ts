/** Row logs as a pack makes them, and back. */

import { ByteSink } from '../../src/data/store/bytes/index.js'
import {
  appendPageRow,
  LinkRowView,
  PageInt,
  PageNumber,
  PageRowView,
  PageText,
  readSegments,
  readTexts,
  type Segment,
  segmentBuffers,
  TextBlocks,
  validText,
} from '../../src/data/store/tables/index.js'
import type { SegmentHeader } from '../../src/data/store/tables/segment.js'
import type { OutcomeCode, PageRow } from '../../src/model/index.js'

export interface LinkRow {
  readonly url: string
  readonly target: string
  readonly kind: number
}

/** The log of one pack. */
export function pageLog(rows: readonly PageRow[], header: Omit<SegmentHeader, 'table'>): Buffer {
  const sink = new ByteSink(1)
  const texts = new TextBlocks()
  for (const row of rows) {
    const text = validText(row.text)
    appendPageRow(sink, row, text.length)
    texts.add(text)
  }
  return Buffer.concat([
    ...segmentBuffers({ ...header, table: 'pages' }, sink.view()),
    ...segmentBuffers({ ...header, table: 'texts' }, texts.view()),
  ])
}

/** Every page of a log, with the segment its row stands in. */
export function readPages(path: string, committedBytes: number): { row: PageRow; segment: Segment }[] {
  const segments = Array.from(readSegments(path, committedBytes), segment => ({
    ...segment,
    rows: Buffer.from(segment.rows),
  }))
  const texts = segments.filter(({ table }) => table === 'texts').flatMap(({ rows }) => [...readTexts(rows)])
  const view = new PageRowView()
  return segments
    .filter(({ table }) => table === 'pages')
    .flatMap(segment => {
      const pages: { row: PageRow; segment: Segment }[] = []
      for (let at = 0; at < segment.rows.length; ) {
        at += view.moveTo(segment.rows, at)
        const text = view.int(PageInt.textBytes) > 0 ? texts.shift() : undefined
        pages.push({ row: pageRowOf(view, new Uint8Array(text ?? [])), segment })
      }
      return pages
    })
}

export function readLinks(path: string, committedBytes: number): LinkRow[] {
  const links: LinkRow[] = []
  for (const segment of readSegments(path, committedBytes)) {
    const view = new LinkRowView(segment.rows)
    while (view.next()) links.push(linkRowOf(view))
  }
  return links
}

function linkRowOf({ bytes, urlStart, urlEnd, targetStart, targetEnd, kind }: LinkRowView): LinkRow {
  const url = bytes.toString('utf8', urlStart, urlEnd)
  return { url, target: bytes.toString('utf8', targetStart, targetEnd), kind }
}

/** `text` is the next of the blocks that go with the rows, where the row has one. */
export function pageRowOf(view: PageRowView, text: Uint8Array): PageRow {
  const string = (text: number) => view.string(text)
  return {
    url: string(PageText.url),
    outcome: string(PageText.outcome) as OutcomeCode,
    fetchedAt: view.number(PageNumber.fetchedAt),
    fetchMs: view.number(PageNumber.fetchMs),
    status: view.int(PageInt.status),
    depth: view.int(PageInt.depth),
    hops: view.int(PageInt.hops),
    via: string(PageText.via),
    lane: view.int(PageInt.lane),
    attempt: view.attempt,
    kept: view.kept,
    bodyBytes: view.number(PageNumber.bodyBytes),
    digest: string(PageText.digest),
    mime: string(PageText.mime),
    mimeDetected: string(PageText.mimeDetected),
    charset: string(PageText.charset),
    languages: string(PageText.languages),
    truncated: string(PageText.truncated),
    title: string(PageText.title),
    description: string(PageText.description),
    canonical: string(PageText.canonical),
    redirect: string(PageText.redirect),
    text,
    outlinks: view.int(PageInt.outlinks),
    outlinksForeign: view.int(PageInt.outlinksForeign),
    etag: string(PageText.etag),
    lastModified: string(PageText.lastModified),
    refersToDate: string(PageText.refersToDate),
    warcOffset: view.warcOffset,
    warcLength: view.warcLength,
  }
}
