/**
 * After a crash, truncates every file of an incarnation to its committed length. The ledger has closed the
 * incarnation before, so nothing more can be committed to its files.
 */
import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { OPEN, pathInside, syncDirectory } from '../../files/index.js'
import { type FileOwner, kindOfListed, OPEN_SUFFIX, ownedFile, storeEntries } from './file-names.js'
import type { StoredFile, StoredKind } from './pack-store.js'
import { finishIndex } from './warc/index.js'

/**
 * `gone`: the writing process has certainly ended (we hold the directory's lock), so files are truncated in
 * place. `unknown`: it may resume writing, so the committed part is copied to a new file.
 */
export type Holder = 'gone' | 'unknown'

export interface RecoverInput {
  readonly directory: string
  readonly owner: FileOwner
  /** Committed length of each file of this incarnation, by name. */
  readonly committed: ReadonlyMap<string, number>
  readonly holder: Holder
}

export interface Recovery {
  /** Files that had an uncommitted tail, and how long it was. */
  readonly cut: readonly { readonly name: string; readonly bytes: number; readonly cutBytes: number }[]
  /** Files of which nothing was committed. */
  readonly removed: readonly { readonly name: string; readonly bytes: number }[]
  /** Files with missing committed bytes: the disk has lost them. */
  readonly damaged: readonly { readonly name: string; readonly bytes: number; readonly foundBytes: number }[]
}

/** Recovers all files of an incarnation. If it is interrupted, it can be run again. */
export function recover(input: RecoverInput): Recovery {
  const { directory, owner, committed, holder } = input
  const kinds = new Map<string, StoredKind>()
  for (const { folder, entry } of storeEntries(directory)) {
    const file = ownedFile(owner, folder, entry)
    if (file?.temporary) rmSync(join(directory, folder, entry), { force: true })
    else if (file) kinds.set(file.name, file.kind)
  }
  for (const name of committed.keys()) {
    const kind = kindOfListed(name)
    if (kind) kinds.set(name, kind)
  }
  const cut: Recovery['cut'][number][] = []
  const removed: Recovery['removed'][number][] = []
  const damaged: Recovery['damaged'][number][] = []
  for (const [name, kind] of kinds) {
    const bytes = committed.get(name) ?? 0
    const before = recoverFile(directory, { name, kind, bytes }, holder)
    if (before < bytes) damaged.push({ name, bytes, foundBytes: before })
    else if (bytes === 0) removed.push({ name, bytes: before })
    else if (before > bytes) cut.push({ name, bytes, cutBytes: before - bytes })
  }
  return { cut, removed, damaged }
}

/** Keeps the first `file.bytes` under the final name; returns the length found. */
export function recoverFile(directory: string, file: Omit<StoredFile, 'crc32'>, holder: Holder): number {
  const path = pathInside(directory, file.name)
  const openPath = path + OPEN_SUFFIX
  const isOpen = existsSync(openPath)
  const isClosed = existsSync(path)
  if (!isOpen && !isClosed) return 0
  const folder = dirname(path)
  if (file.bytes === 0) {
    const size = statSync(isOpen ? openPath : path).size
    rmSync(openPath, { force: true })
    rmSync(path, { force: true })
    syncDirectory(folder)
    return size
  }
  if (file.kind === 'cdxj-log') return settleIndex(path, openPath, isClosed, file.bytes)
  // If both exist, an earlier recovery was interrupted after it copied the file.
  const source = isClosed ? path : openPath
  const { size } = statSync(source)
  if (size < file.bytes) return size
  if (holder === 'gone') {
    if (size > file.bytes) truncateDurably(source, file.bytes)
    if (!isClosed) renameSync(openPath, path)
  } else if (!isClosed || size > file.bytes) {
    copyDurably(source, file.bytes, path)
  }
  if (isClosed || holder === 'unknown') rmSync(openPath, { force: true })
  syncDirectory(folder)
  return size
}

/** A sorted index exists only if its whole log was committed. */
function settleIndex(path: string, openPath: string, isSorted: boolean, bytes: number): number {
  if (isSorted) {
    rmSync(openPath, { force: true })
    return bytes
  }
  const { size } = statSync(openPath)
  if (size >= bytes) finishIndex({ logPath: openPath, bytes, outPath: path })
  return size
}

function truncateDurably(path: string, bytes: number): void {
  const file = openSync(path, OPEN.change)
  try {
    ftruncateSync(file, bytes)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** A copy shares the blocks where the file system can do that. */
function copyDurably(source: string, bytes: number, path: string): void {
  // Named by process: a recovery elsewhere that was suspended continues with its own file.
  const temporary = `${path}.run${process.pid}.tmp`
  copyFileSync(source, temporary, constants.COPYFILE_FICLONE)
  truncateDurably(temporary, bytes)
  renameSync(temporary, path)
}
