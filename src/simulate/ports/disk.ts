/**
 * The disk that all agents write their packs to. What is not flushed is lost when its machine is killed.
 * Files of a closed incarnation are truncated to their committed length, in copies that their writer does not
 * have open.
 */
import { PageRowView, PageText } from '../../data/store/tables/index.js'
import type { FileRow, Incarnation } from '../../ledger/index.js'
import type { OutcomeCode } from '../../model/index.js'

export interface StoredRow {
  readonly url: string
  readonly outcome: OutcomeCode
}

/** The part of a file that one append wrote. */
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
  /** Truncated to its committed length: nothing may be written to it any more. */
  isCut: boolean
}

export class Disk {
  readonly #files = new Map<string, DiskFile>()
  readonly #spoiled = new Set<string>()

  /** Files that were written to after they had been truncated. */
  get spoiled(): ReadonlySet<string> {
    return this.#spoiled
  }

  create(name: string, owner: Incarnation): DiskFile {
    const file: DiskFile = { name, owner, extents: [], isCut: false }
    this.#files.set(name, file)
    return file
  }

  append(file: DiskFile, start: number, end: number, rows: readonly StoredRow[]): Extent {
    const extent: Extent = { start, end, rows, isFlushed: false }
    file.extents.push(extent)
    if (file.isCut) this.#spoiled.add(file.name)
    return extent
  }

  /** Drops what the killed incarnation had not flushed. */
  crash(owner: Incarnation): void {
    for (const file of this.#files.values())
      if (file.owner === owner) file.extents = file.extents.filter(extent => extent.isFlushed)
  }

  /**
   * Truncates the files of one incarnation to their committed length. The result is `new` files, because the
   * writer may still have the old ones open; `same` is a mistake made on purpose.
   */
  recover(owner: Incarnation, committed: ReadonlyMap<string, number>, as: 'new' | 'same'): void {
    for (const file of [...this.#files.values()]) {
      if (file.owner !== owner) continue
      const bytes = committed.get(file.name) ?? 0
      const kept = as === 'same' ? file : { ...file }
      kept.extents = file.extents.filter(extent => extent.end <= bytes)
      kept.isCut = true
      if (bytes === 0 && as === 'new') this.#files.delete(file.name)
      else this.#files.set(file.name, kept)
    }
  }

  /** The rows in the committed part of a file, and the number of bytes of that part that exist. */
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
