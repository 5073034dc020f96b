/**
 * The files that a store appends to, one of each kind, and how to undo the last append. A WARC and its index
 * are created, rolled and abandoned together and have the same number.
 */

import type { Crc32 } from '../../files/index.js'
import { AppendFile } from './append-file.js'
import { type FileOwner, fileName } from './file-names.js'
import type { AppendResult, StoredFile, StoredKind } from './pack-store.js'

/** What an append did to one file. */
interface Step {
  readonly file: AppendFile
  readonly created: boolean
  readonly bytesBefore: number
  readonly rowsBefore: number
  readonly crc32Before: Crc32
}

export interface OpenFilesOptions {
  readonly directory: string
  readonly owner: FileOwner
  readonly warcExtension: string
  /** Files get higher numbers than this. */
  readonly firstNumber?: number
  /** Gives a complete file its final name; everything in it is committed. */
  readonly finish: (file: AppendFile) => Promise<void>
}

export class OpenFiles {
  readonly #options: OpenFilesOptions
  readonly #current = new Map<StoredKind, AppendFile>()
  readonly #numbers = new Map<StoredKind, number>()
  #steps: Step[] = []
  /** Files on which the disk failed, with the committed length of each. */
  readonly broken: StoredFile[] = []

  constructor(options: OpenFilesOptions) {
    this.#options = options
  }

  /** Files touched since `begin`, as they are now. */
  get touched(): readonly StoredFile[] {
    return this.#steps.map(step => step.file.stored())
  }

  /** Folders in which a file was created since `begin`. */
  get newFolders(): readonly string[] {
    return [...new Set(this.#steps.filter(step => step.created).map(step => step.file.folder))]
  }

  /** Makes earlier changes final. */
  begin(): void {
    this.#steps = []
  }

  current(kind: StoredKind): AppendFile | undefined {
    return this.#current.get(kind)
  }

  /** The file of a kind, created if necessary, to which `rows` rows are about to be appended. */
  async touch(kind: StoredKind, rows: number): Promise<AppendFile> {
    let file = this.#current.get(kind)
    const created = file === undefined
    if (file === undefined) {
      const { firstNumber = 0 } = this.#options
      const known = this.#numbers.get(kind === 'cdxj-log' ? 'warc' : kind) ?? firstNumber
      const number = kind === 'cdxj-log' ? known : known + 1
      this.#numbers.set(kind, number)
      const { directory, owner, warcExtension } = this.#options
      file = await AppendFile.create(directory, fileName(owner, kind, number, warcExtension), kind)
      this.#current.set(kind, file)
    }
    const { bytes: bytesBefore, rows: rowsBefore, crc32: crc32Before } = file
    this.#steps.push({ file, created, bytesBefore, rowsBefore, crc32Before })
    file.rows += rows
    return file
  }

  /** Ends the current file of a kind; the next `touch` begins another. */
  async roll(kind: StoredKind): Promise<void> {
    const file = this.#current.get(kind)
    this.#current.delete(kind)
    if (file) await this.#orBroken(file, file.stored(), () => this.#options.finish(file))
  }

  /** Undoes what was done since `begin`. */
  async undo(): Promise<void> {
    for (const { file, created, bytesBefore, rowsBefore, crc32Before } of this.#steps) {
      const before = { ...file.stored(), bytes: bytesBefore, crc32: crc32Before }
      if (created) {
        this.#current.delete(file.kind)
        await this.#orBroken(file, before, () => file.remove())
      } else {
        await this.#orBroken(file, before, () => file.truncate(bytesBefore, rowsBefore, crc32Before))
      }
    }
    this.#steps = []
  }

  /**
   * Undoes what was done since `begin` and rolls every file that was touched: after a disk failure, data that
   * the disk reported as written may be missing, so nothing is appended to these files.
   */
  async retire(): Promise<void> {
    const kinds = this.#steps.map(step => step.file.kind)
    await this.undo()
    for (const kind of kinds) await this.roll(kind)
  }

  async rollAll(): Promise<readonly StoredFile[]> {
    const files = [...this.#current.values()]
    for (const file of files) await this.roll(file.kind)
    return files.map(file => file.stored())
  }

  async abandon(): Promise<void> {
    for (const file of this.#current.values()) await file.close()
    this.#current.clear()
  }

  async #orBroken(file: AppendFile, committed: StoredFile, work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      if (!diskFailure(error)) throw error
      this.#current.delete(file.kind)
      await file.close().catch(() => {})
      if (committed.bytes > 0) this.broken.push(committed)
    }
  }
}

const FULL = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])

/** The error of the disk as a value; null for other errors. */
export function diskFailure(error: unknown): Extract<AppendResult, { ok: false }> | null {
  if (!(error instanceof Error) || !('syscall' in error) || !('code' in error)) return null
  const code = String(error.code)
  return { ok: false, code: FULL.has(code) ? 'DISK_FULL' : 'DISK_FAILED', detail: error.message }
}
