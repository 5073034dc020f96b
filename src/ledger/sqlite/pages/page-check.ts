/**
 * Compares a SQLite ledger with the sums of its pages, also while it is written or after its writer was
 * killed. Pages in the log are checked there, by the checksums of its frames. Nothing is locked: a page that
 * differs is read again until the sums have not changed meanwhile, because a checkpoint replaces the sums
 * first.
 */
import { crc32 } from 'node:zlib'
import type { FileProblem } from '../../../files/index.js'
import { databaseBytes, databasePage, databasePages } from './database-pages.js'
import { type PageSums, pageSumsPath, pagesIn, readPageSums, sumOf } from './page-sums.js'
import { readWal, type WalContent, type WalState, walPath } from './wal-file.js'
import { readWalIndex, type WalIndex } from './wal-index.js'

const TRIES = 10

export type LedgerProblem = FileProblem & { readonly file: string; readonly pages?: readonly number[] }

/** `unknown`: there are no valid sums. `isOpen`: a writer may be running, or was killed. */
export type LedgerState =
  | { readonly at: 'sound'; readonly isOpen: boolean }
  | { readonly at: 'unknown'; readonly why: 'no sums' | 'closed elsewhere' }
  | { readonly at: 'damaged'; readonly problem: LedgerProblem }

/** Runs a comparison, unless an earlier one has found nothing. */
export type Once = (expected: string, compare: () => LedgerProblem | null) => LedgerProblem | null

const damaged = (problem: LedgerProblem): LedgerState => ({ at: 'damaged', problem })

interface View {
  readonly sums: PageSums
  readonly index: WalIndex | null
  readonly wal: WalState
}

/** `name` is the name of the file in messages. */
export function checkPages(path: string, name: string, once: Once): LedgerState {
  let last = ''
  for (let tries = 1; ; tries++) {
    const sums = readPageSums(path)
    if (sums === 'none') return { at: 'unknown', why: 'no sums' }
    if (sums === 'damaged')
      return damaged({
        file: pageSumsPath(name),
        what: 'altered',
        detail: 'is damaged: its own checksum differs',
      })
    const view = { sums, index: readWalIndex(path), wal: readWal(path) }
    const wrong = logProblem(view, name)
    if (wrong === null) return checkFile(path, name, view, once)
    // A log that is being replaced may look damaged once, but never twice in the same way.
    const seen = JSON.stringify([wrong, view.index, crc32(sums.sums)])
    if (seen === last || tries === TRIES) return damaged(wrong)
    last = seen
  }
}

function checkFile(path: string, name: string, view: View, once: Once): LedgerState {
  const { sums, wal } = view
  const expected = `${crc32(sums.sums)} ${typeof wal === 'object' ? wal.salts : ''}`
  const problem = once(expected, () => pageProblem(path, name, view))
  if (problem === null) return { at: 'sound', isOpen: sums.writer !== 0 }
  // Another program has moved the log into the file without updating sums: the next crawl makes new ones.
  if (sums.writer !== 0 && wal === 'missing') return { at: 'unknown', why: 'closed elsewhere' }
  return damaged(problem)
}

/** Whether the log lacks frames that the sums or the index know of. */
function logProblem({ sums, index, wal }: View, name: string): LedgerProblem | null {
  const file = walPath(name)
  if (wal === 'missing')
    return index !== null && index.frames > 0 ? { file, what: 'missing', detail: 'is missing' } : null
  if (wal === 'damaged') return { file, what: 'altered', detail: 'is damaged: its header is not valid' }
  if (wal === 'replaced') return { file, what: 'altered', detail: 'keeps changing while it is read' }
  if (wal === 'empty') {
    const hadFrames = (sums.writer !== 0 && sums.frames > 0) || (index?.frames ?? 0) > 0
    return hadFrames ? { file, what: 'short', detail: 'is empty' } : null
  }
  return frameProblem(sums, index, wal, file)
}

function frameProblem(
  sums: PageSums,
  index: WalIndex | null,
  wal: WalContent,
  file: string,
): LedgerProblem | null {
  const isIndexed = index?.salts === wal.salts
  const summed = sums.salts === wal.salts ? sums.frames : 0
  const committed = Math.max(summed, isIndexed ? index.frames : 0)
  const detail = (frame: number) => `is damaged: frame ${frame} is not valid`
  if (wal.frames < committed) return { file, what: 'altered', detail: detail(wal.frames + 1) }
  // Without an index, a power failure may have torn the last transaction, but no other.
  if (!isIndexed && wal.laterEnds > 1) return { file, what: 'altered', detail: detail(wal.frames + 1) }
  return null
}

function pageProblem(path: string, name: string, first: View): LedgerProblem | null {
  let view = first
  let suspects = differingPages(path, view)
  for (let tries = 1; suspects.length > 0 && tries <= TRIES; tries++) {
    const again = readPageSums(path)
    if (typeof again !== 'object') return null
    const isSettled = view.wal !== 'replaced' && again.sums.equals(view.sums.sums)
    if (tries > 1 && isSettled) return problemOf(path, name, view, suspects)
    view = { sums: again, index: null, wal: readWal(path) }
    suspects = suspects.filter(page => differs(view, page, databasePage(path, again.pageBytes, page)))
  }
  // The writer is faster than this reader: the differences may have been temporary.
  return null
}

function differingPages(path: string, view: View): number[] {
  const found: number[] = []
  let pages = 0
  for (const { page, bytes } of databasePages(path, view.sums.pageBytes)) {
    pages = page
    if (differs(view, page, bytes)) found.push(page)
  }
  const hole = Buffer.alloc(view.sums.pageBytes)
  for (let page = pages + 1; page <= pagesIn(view.sums); page++)
    if (differs(view, page, hole)) found.push(page)
  return found
}

function differs({ sums, wal }: View, page: number, bytes: Buffer): boolean {
  if (wal === 'replaced') return true
  const log = typeof wal === 'object' ? wal : null
  if (log?.changed.has(page)) return false
  const known = pagesIn(sums)
  // Pages beyond those with sums can only have come from the log.
  if (page > known) return page > Math.max(known, log?.pages ?? 0)
  return crc32(bytes) !== sumOf(sums, page)
}

function problemOf(path: string, name: string, { sums }: View, pages: readonly number[]): LedgerProblem {
  const [bytes, expected] = [databaseBytes(path), pagesIn(sums) * sums.pageBytes]
  if (bytes < pages[pages.length - 1] * sums.pageBytes && bytes < expected)
    return { file: name, what: 'short', detail: `has ${bytes} of ${expected} bytes`, pages }
  const more = pages.length === 1 ? '' : ` and of ${pages.length - 1} more`
  const detail = `is damaged, or another program wrote to it: the checksum of page ${pages[0]}${more} differs`
  return { file: name, what: 'altered', detail, pages }
}
