/** Row logs as a pack makes them, and back. */

import { ByteSink } from '../../src/data/store/bytes/index.js'
import {
  appendPageRow,
  LinkRowView,
  PageInt,
  PageRowView,
  readSegments,
  readTexts,
  type Segment,
  segmentBuffers,
  TextBlocks,
  validText,
} from '../../src/data/store/tables/index.js'
import type { LinkRow } from '../../src/data/store/tables/link-rows.js'
import type { SegmentHeader } from '../../src/data/store/tables/segment.js'
import type { PageRow } from '../../src/model/index.js'

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
        pages.push({ row: view.toRow(new Uint8Array(text ?? [])), segment })
      }
      return pages
    })
}

export function readLinks(path: string, committedBytes: number): LinkRow[] {
  const links: LinkRow[] = []
  for (const segment of readSegments(path, committedBytes)) {
    const view = new LinkRowView(segment.rows)
    while (view.next()) links.push(view.toRow())
  }
  return links
}
