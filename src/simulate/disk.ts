/**
 * The disk that all agents write their packs to. What is not yet flushed goes with the machine that wrote it; files of
 * a life that the ledger has closed are cut back to what was committed, under a new name, out of reach of their writer.
 */
import type { FileRow, Incarnation } from '../cluster/index.js'
import type { OutcomeCode } from '../model/outcome.js'
import { PageRowView, PageText } from '../store/index.js'

export interface StoredRow {
  readonly url: string
  readonly outcome: OutcomeCode
}

/** What one append put into a file. */
interface Extent {
  readonly start: number
  readonly end: number
  readonly rows: readonly StoredRow[]
  isFlushed: boolean
}

export interface DiskFile {
  readonly name: string
  readonly owner: Incarnation
  extents: Extent[]
}

export class Disk {
  readonly #files = new Map<string, DiskFile>()

  create(name: string, owner: Incarnation): DiskFile {
    const file: DiskFile = { name, owner, extents: [] }
    this.#files.set(name, file)
    return file
  }

  /** A machine died: what was not flushed is gone. */
  crash(owner: Incarnation): void {
    for (const file of this.#files.values())
      if (file.owner === owner) file.extents = file.extents.filter(extent => extent.isFlushed)
  }

  /** Keeps the committed part of the files of one life as new files; the writer still has the old ones open. */
  recover(owner: Incarnation, committed: ReadonlyMap<string, number>): number {
    let cut = 0
    for (const file of [...this.#files.values()]) {
      if (file.owner !== owner) continue
      const bytes = committed.get(file.name) ?? 0
      cut += file.extents.filter(extent => extent.end > bytes).length
      const kept = file.extents.filter(extent => extent.end <= bytes)
      if (bytes === 0) this.#files.delete(file.name)
      else this.#files.set(file.name, { name: file.name, owner, extents: kept })
    }
    return cut
  }

  /** Rows in the committed part of a file, and how many bytes of that part are there. */
  read({ name, bytes }: FileRow): { readonly rows: readonly StoredRow[]; readonly foundBytes: number } {
    const rows: StoredRow[] = []
    let foundBytes = 0
    for (const extent of this.#files.get(name)?.extents ?? []) {
      if (extent.end > bytes || extent.start !== foundBytes) break
      foundBytes = extent.end
      rows.push(...extent.rows)
    }
    return { rows, foundBytes }
  }
}

/** The rows of a pack's page log. */
export function storedRows(bytes: Buffer): StoredRow[] {
  const rows: StoredRow[] = []
  const view = new PageRowView()
  for (let at = 0; at < bytes.length; ) {
    at += view.moveTo(bytes, at)
    rows.push({
      url: view.string(PageText.url),
      outcome: view.string(PageText.outcome) as OutcomeCode,
    })
  }
  return rows
}
