/**
 * Compares files of a crawl with their digests, and remembers sound files in the user's state folder by size,
 * modification time and inode, so that each file is read once. Damage that changes none of these is found by
 * `verify`, which always reads everything.
 */
import { createHash } from 'node:crypto'
import { realpathSync, statSync } from 'node:fs'
import { readStateFile, stateFile, writeStateFile } from '../config/index.js'
import { type Crc32, digestFile } from './file-digest.js'

/** A file as the ledger or a manifest lists it. */
export interface ListedFile {
  readonly name: string
  readonly kind: string
  readonly bytes: number
  /** Null if unknown: then only the length is compared. */
  readonly crc32: Crc32 | null
}

export interface FileProblem {
  readonly what: 'missing' | 'short' | 'altered'
  /** A predicate: the name of the file precedes it in messages. */
  readonly detail: string
}

/** `exact`: the file must not be longer than listed. */
export function compareFile(path: string, file: ListedFile, exact: boolean): FileProblem | null {
  const size = statSync(path, { throwIfNoEntry: false })?.size
  if (size === undefined) return { what: 'missing', detail: 'is missing' }
  if (size < file.bytes) return { what: 'short', detail: `has ${size} of ${file.bytes} bytes` }
  if (exact && size > file.bytes)
    return { what: 'altered', detail: `has ${size} bytes instead of ${file.bytes}` }
  if (file.crc32 === null || digestFile(path, file.kind, file.bytes).crc32 === file.crc32) return null
  return { what: 'altered', detail: 'is damaged: its checksum differs' }
}

/** A file modified so shortly before it was read may change again within the same timestamp. */
const YOUNG_NS = 2_000_000_000n
const MOST_FILES = 20_000

/** The entry of one directory in the state folder. */
interface Remembered {
  /** The directory. */
  readonly path: string
  /** Names of sound files, each with its version. */
  readonly sound: Readonly<Record<string, string>>
}

export class CheckedFiles {
  readonly #directory: string
  readonly #path: string
  readonly #sound: Map<string, string>
  /** File system time before the first read; null if the state folder cannot be written. */
  #since: bigint | null | undefined
  #isChanged = false

  constructor(directory: string) {
    this.#directory = realpathSync(directory)
    const key = createHash('sha256').update(this.#directory).digest('hex').slice(0, 32)
    this.#path = stateFile('checked', key)
    this.#sound = new Map(Object.entries(readStateFile<Remembered>(this.#path)?.sound ?? {}))
  }

  /** `compareFile` with `exact`, once per file version. */
  check(path: string, file: ListedFile): FileProblem | null {
    return this.once(path, file.name, `${file.bytes} ${file.crc32}`, () => compareFile(path, file, true))
  }

  /** Runs `compare`, unless the same file version was found sound before with the same `expected`. */
  once<Problem>(path: string, name: string, expected: string, compare: () => Problem | null): Problem | null {
    const version = versionOf(path, expected)
    if (version !== null && this.#sound.get(name) === version.text) return null
    if (this.#since === undefined) this.#since = this.#write()
    const problem = compare()
    if (problem === null && version !== null && this.#since !== null) {
      if (version.changedNs + YOUNG_NS < this.#since) this.#remember(name, version.text)
    }
    return problem
  }

  /** Stores the results. If that fails, files are read again next time. */
  save(): void {
    this.#since = undefined
    if (this.#isChanged) this.#write()
  }

  /** Returns the file system time of the write; null if it failed. */
  #write(): bigint | null {
    const sound = Object.fromEntries([...this.#sound].slice(-MOST_FILES))
    try {
      writeStateFile<Remembered>(this.#path, { path: this.#directory, sound })
      this.#isChanged = false
      return statSync(this.#path, { bigint: true }).mtimeNs
    } catch {
      return null
    }
  }

  #remember(name: string, version: string): void {
    this.#sound.delete(name)
    this.#sound.set(name, version)
    this.#isChanged = true
  }
}

/** Uses mtime instead of ctime: a reader of a running crawl creates hard links, which changes ctime. */
function versionOf(path: string, expected: string): { text: string; changedNs: bigint } | null {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false })
  if (!stats) return null
  const { size, mtimeNs, ino } = stats
  return { text: `${size} ${mtimeNs} ${ino} ${expected}`, changedNs: mtimeNs }
}
