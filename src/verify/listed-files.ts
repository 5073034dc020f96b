/** Checks the files that the ledger lists: their digests and, unless `quick`, their content. */
import { join } from 'node:path'
import { locateFile } from '../data/store/index.js'
import { DamagedFileError, readSegments } from '../data/store/tables/index.js'
import { parquetRows } from '../data/store/tables/parquet/index.js'
import { compareFile, type ListedFile } from '../files/index.js'
import { checkIndex, checkRecords, type RecordPlaces } from './archive.js'
import type { Damage } from './damage.js'

const KINDS: Readonly<Record<string, Damage['kind']>> = {
  warc: 'warc',
  'cdxj-log': 'cdxj',
  pages: 'parquet',
  links: 'parquet',
  items: 'parquet',
  sites: 'parquet',
  'pages-log': 'rows',
  'links-log': 'rows',
  'items-log': 'rows',
  'learned-hosts': 'learned',
  'learned-nets': 'learned',
}

export class ListedFiles {
  readonly #directory: string
  readonly #isQuick: boolean
  /** Records of WARCs whose index has not been checked yet. */
  readonly #places = new Map<string, RecordPlaces>()

  constructor(directory: string, isQuick: boolean) {
    this.#directory = directory
    this.#isQuick = isQuick
  }

  async check(file: ListedFile): Promise<Damage | null> {
    const path = locateFile(this.#directory, file.name) ?? join(this.#directory, file.name)
    const isOpen = path.endsWith('.open')
    const kind = KINDS[file.kind] ?? 'parquet'
    const damage = (what: Damage['what'], detail: string): Damage => ({ file: file.name, kind, what, detail })
    const problem = compareFile(path, file, !isOpen)
    if (problem) {
      const where =
        file.kind === 'warc' && problem.what === 'altered' ? await this.#records(path, file) : null
      return damage(problem.what, where === null ? problem.detail : `${problem.detail}; ${where}`)
    }
    if (this.#isQuick) return null
    const wrong = await this.#read(path, file, isOpen)
    return wrong === null ? null : damage('unreadable', `cannot be read: ${wrong}`)
  }

  async #read(path: string, file: ListedFile, isOpen: boolean): Promise<string | null> {
    try {
      switch (file.kind) {
        case 'warc':
          return await this.#records(path, file)
        case 'cdxj-log':
          return await this.#index(path, file, isOpen)
        case 'pages':
        case 'links':
        case 'items':
        case 'sites':
          parquetRows(path)
          return null
        case 'pages-log':
        case 'links-log':
        case 'items-log':
          for (const _ of readSegments(path, file.bytes));
          return null
        default:
          return null
      }
    } catch (error) {
      if (error instanceof DamagedFileError) return error.reason
      throw error
    }
  }

  async #records(path: string, { name, bytes }: ListedFile): Promise<string | null> {
    const places: RecordPlaces = new Map()
    const wrong = await checkRecords(path, bytes, places)
    if (wrong === null) this.#places.set(stemOf(name), places)
    return wrong
  }

  /** The index of a damaged WARC cannot be compared. */
  async #index(path: string, { name, bytes }: ListedFile, isOpen: boolean): Promise<string | null> {
    const places = this.#places.get(stemOf(name))
    this.#places.delete(stemOf(name))
    return places ? checkIndex(path, bytes, places, !isOpen) : null
  }
}

/** A WARC and its index differ only in what follows the number. */
export function stemOf(name: string): string {
  return name.replace(/(?:\.warc(?:\.\w+)?|\.cdxj)$/, '')
}

/** A WARC comes before its index, which is compared with the records read. */
export function sortForReading<T extends ListedFile>(files: readonly T[]): T[] {
  const rank = ({ kind }: T) => (kind === 'cdxj-log' ? 1 : 0)
  return files.toSorted(
    (a, b) => compareText(stemOf(a.name), stemOf(b.name)) || rank(a) - rank(b) || compareText(a.name, b.name),
  )
}

const compareText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
