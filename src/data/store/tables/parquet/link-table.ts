/** The `links` table: one row per link. */
import { LinkKind } from '../../../../model/index.js'
import { LinkRowView, type Segment } from '../index.js'
import { Column, type ColumnSpec } from './column.js'
import { findHost, host } from './url-host.js'

const LINK_COLUMNS: readonly ColumnSpec[] = [
  { name: 'url', kind: 'dictionary', required: true },
  { name: 'target', kind: 'text', required: true },
  { name: 'url_host_name', kind: 'dictionary' },
  { name: 'target_host_name', kind: 'dictionary' },
  { name: 'kind', kind: 'dictionary', required: true },
]

/** `anchor`, `frame`, …, followed by ` nofollow` if the link has it. */
export function linkKindName(kind: number): string {
  const names = Object.entries(LinkKind)
  return names
    .filter(([, bit]) => (kind & bit) !== 0)
    .map(([name]) => name)
    .join(' ')
}

/** The bits of a kind by the words of its name. */
export function linkKindOf(words: readonly string[]): number {
  return words.reduce((kind, word) => kind | (LinkKind[word as keyof typeof LinkKind] ?? 0), 0)
}

const KIND_NAMES = Array.from({ length: 256 }, (_, kind) => Buffer.from(linkKindName(kind)))

export class LinkTable {
  readonly columns = LINK_COLUMNS.map(spec => new Column(spec))
  readonly isComplete = true
  /** Position of the URL of the current page, and of its host. */
  #urlStart = -1
  #hostStart = 0
  #hostEnd = 0

  /** Returns the number of links. */
  addSegment(segment: Segment): number {
    const link = new LinkRowView(segment.rows)
    this.#urlStart = -1
    let rows = 0
    for (; link.next(); rows++) this.#add(link)
    return rows
  }

  #add(link: LinkRowView): void {
    const [url, target, urlHost, targetHost, kind] = this.columns
    const { bytes } = link
    url.addBytes(bytes, link.urlStart, link.urlEnd)
    target.addBytes(bytes, link.targetStart, link.targetEnd)
    if (link.urlStart !== this.#urlStart) this.#turnTo(link)
    urlHost.addBytes(bytes, this.#hostStart, this.#hostEnd)
    findHost(bytes, link.targetStart, link.targetEnd)
    targetHost.addBytes(bytes, host.start, host.end)
    const name = KIND_NAMES[link.kind]
    kind.addBytes(name, 0, name.length)
  }
  #turnTo({ bytes, urlStart, urlEnd }: LinkRowView): void {
    findHost(bytes, urlStart, urlEnd)
    this.#urlStart = urlStart
    this.#hostStart = host.start
    this.#hostEnd = host.end
  }
}
