/** The `links` table: one row a link. */
import { LinkKind } from '../../model/page.js'
import type { LinkRowView } from '../link-rows.js'
import type { ColumnSpec } from './column.js'
import type { ParquetFile } from './parquet-file.js'
import { findHost, host } from './url-host.js'

export const LINK_COLUMNS: readonly ColumnSpec[] = [
  { name: 'url', kind: 'dictionary', required: true },
  { name: 'target', kind: 'text', required: true },
  { name: 'url_host_name', kind: 'dictionary' },
  { name: 'target_host_name', kind: 'dictionary' },
  { name: 'kind', kind: 'dictionary', required: true },
]

/** `anchor`, `frame`, …, with ` nofollow` behind it where the link says so. */
export function linkKindName(kind: number): string {
  const names = Object.entries(LinkKind)
  return names
    .filter(([, bit]) => (kind & bit) !== 0)
    .map(([name]) => name)
    .join(' ')
}

const KIND_NAMES = Array.from({ length: 256 }, (_, kind) => Buffer.from(linkKindName(kind)))

export class LinkTable {
  readonly #file: ParquetFile

  /** `file` has `LINK_COLUMNS`. */
  constructor(file: ParquetFile) {
    this.#file = file
  }

  add(link: LinkRowView): void {
    const [url, target, urlHost, targetHost, kind] = this.#file.columns
    const { bytes } = link
    url.addBytes(bytes, link.urlStart, link.urlEnd)
    target.addBytes(bytes, link.targetStart, link.targetEnd)
    findHost(bytes, link.urlStart, link.urlEnd)
    urlHost.addBytes(bytes, host.start, host.end)
    findHost(bytes, link.targetStart, link.targetEnd)
    targetHost.addBytes(bytes, host.start, host.end)
    const name = KIND_NAMES[link.kind]
    kind.addBytes(name, 0, name.length)
  }
}
