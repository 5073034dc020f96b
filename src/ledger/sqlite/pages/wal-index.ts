/**
 * The header of SQLite's wal-index, `ledger.db-shm`: how many frames of the log are committed. SQLite writes
 * it after the frames are on the disk, and it survives a kill, so it separates the committed frames of the
 * log from a tail that was never committed. SQLite's locks are on this file, so the descriptor is never
 * closed.
 */
import { readSync } from 'node:fs'
import { endianness } from 'node:os'
import { openKept } from '../../../files/index.js'
import { checksumOf, type Salts } from './wal-file.js'

const HEADER_BYTES = 48
/** Blocks of 32 KB hold the page numbers of the frames, 32 bits each, and a hash table. */
const BLOCK_BYTES = 32_768
const BLOCK_FRAMES = 4096
const FIRST_BYTES = 136
const FIRST_FRAMES = 4062
const CHECKED_BYTES = 40
const VERSION = 3_007_000
const IS_BIG_ENDIAN = endianness() === 'BE'

export interface WalIndex {
  readonly salts: Salts
  readonly frames: number
  /** The size of the database in pages. */
  readonly pages: number
}

/** Null if there is none, or it is being written. */
export function readWalIndex(ledger: string): WalIndex | null {
  try {
    const bytes = Buffer.allocUnsafeSlow(HEADER_BYTES)
    const length = readSync(openKept(`${ledger}-shm`), bytes, 0, HEADER_BYTES, 0)
    return length === HEADER_BYTES ? indexOf(bytes) : null
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

/** Numbers are in the byte order of the machine that wrote them; another machine's index is ignored. */
function indexOf(bytes: Buffer): WalIndex | null {
  const words = new Uint32Array(bytes.buffer, 0, HEADER_BYTES / 4)
  const [s0, s1] = checksumOf(bytes.subarray(0, CHECKED_BYTES), IS_BIG_ENDIAN, [0, 0])
  if (words[0] !== VERSION || s0 >>> 0 !== words[10] || s1 >>> 0 !== words[11]) return null
  return {
    salts: bytes.toString('hex', 32, 40),
    frames: words[4],
    pages: words[5],
  }
}

/** The last frame of each page among the frames `from` to `to`, which are committed. */
export function lastFrames(ledger: string, from: number, to: number): ReadonlyMap<number, number> {
  const file = openKept(`${ledger}-shm`)
  const last = new Map<number, number>()
  for (let first = from; first <= to; ) {
    const { at, end } = placeOf(first)
    const pages = new Uint32Array(Math.min(end, to) - first + 1)
    if (readSync(file, pages, 0, pages.byteLength, at) < pages.byteLength) throw new Error('the index is cut')
    for (const [i, page] of pages.entries()) last.set(page, first + i)
    first += pages.length
  }
  return last
}

/** The offset of a frame's page number in the index, and the last frame of the same block. */
function placeOf(frame: number): { readonly at: number; readonly end: number } {
  if (frame <= FIRST_FRAMES) return { at: FIRST_BYTES + (frame - 1) * 4, end: FIRST_FRAMES }
  const beyond = frame - FIRST_FRAMES - 1
  const block = Math.floor(beyond / BLOCK_FRAMES) + 1
  return { at: block * BLOCK_BYTES + (beyond % BLOCK_FRAMES) * 4, end: FIRST_FRAMES + block * BLOCK_FRAMES }
}
