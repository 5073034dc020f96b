/** Row logs as a pack makes them, and back. */
import type { PageRow } from '../../src/model/page.js'
import { ByteSink } from '../../src/store/byte-sink.js'
import { type LinkRow, LinkRowView } from '../../src/store/link-rows.js'
import { appendPageRow, PageInt, PageRowView } from '../../src/store/page-row.js'
import { readSegments, type Segment, type SegmentHeader, segmentBuffers } from '../../src/store/segment.js'
import { readTexts, TextBlocks, validText } from '../../src/store/text-blocks.js'

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
