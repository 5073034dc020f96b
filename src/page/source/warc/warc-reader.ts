/** Reads archives back: one record by its place, or all records of a file. */

import { type FileHandle, open } from 'node:fs/promises'
import { OPEN } from '../../../files/index.js'
import { isZstdFrame, loadZstd } from '../../../model/bytes/index.js'
import { LIMITS } from '../../../model/index.js'
import { WARC_READER_WINDOW_BYTES } from '../../limits.js'
import { firstMember, type Member } from './warc-members.js'

export interface WarcRecord {
  readonly type: string
  /** By lower-case name. */
  readonly headers: ReadonlyMap<string, string>
  readonly block: Buffer
}

export interface SoundRecord {
  readonly ok: true
  readonly offset: number
  readonly length: number
  readonly record: WarcRecord
}

export type RecordResult =
  | SoundRecord
  | { readonly ok: false; readonly offset: number; readonly detail: string }

/** A body, its head and a WARC header; records of ours are not larger. */
const RECORD_BYTES_MAX = LIMITS.bodyBytes + LIMITS.headerBytes + 64 * 1024
/** Incompressible data grows a little. */
const MEMBER_BYTES_MAX = 2 * RECORD_BYTES_MAX

export class WarcReader {
  readonly #file: FileHandle

  private constructor(file: FileHandle) {
    this.#file = file
  }

  static async open(path: string): Promise<WarcReader> {
    const reader = new WarcReader(await open(path, OPEN.read))
    if (isZstdFrame(await reader.#read(0, 4), 0)) await loadZstd()
    return reader
  }

  close(): Promise<void> {
    return this.#file.close()
  }

  /** The record at a place that a table or an index names. */
  async record(offset: number, length: number): Promise<RecordResult> {
    if (length > MEMBER_BYTES_MAX) return failure(offset, 'too-large')
    const bytes = await this.#read(offset, length)
    if (bytes.length < length) return failure(offset, 'need')
    return recordOf(firstMember(bytes, RECORD_BYTES_MAX), offset)
  }

  /** Every record from `from` to `committedBytes` (by default the end of the file); stops after a bad one. */
  async *records(committedBytes?: number, from = 0): AsyncGenerator<RecordResult> {
    const end = committedBytes ?? (await this.#file.stat()).size
    let window: Buffer = Buffer.alloc(0)
    let windowAt = 0
    for (let at = from; at < end; ) {
      let member = firstMember(window.subarray(at - windowAt), RECORD_BYTES_MAX)
      let size = WARC_READER_WINDOW_BYTES
      while (
        !member.ok &&
        member.why === 'need' &&
        windowAt + window.length < end &&
        size < MEMBER_BYTES_MAX
      ) {
        window = await this.#read(at, Math.min(size, end - at))
        windowAt = at
        member = firstMember(window, RECORD_BYTES_MAX)
        size *= 4
      }
      const result = recordOf(member, at)
      yield result
      if (!result.ok) return
      at += result.length
    }
  }

  async #read(offset: number, length: number): Promise<Buffer> {
    const bytes = Buffer.allocUnsafe(length)
    let done = 0
    while (done < length) {
      const { bytesRead } = await this.#file.read(bytes, done, length - done, offset + done)
      if (bytesRead === 0) break
      done += bytesRead
    }
    return bytes.subarray(0, done)
  }
}

const REASONS = {
  need: 'the record is cut',
  damaged: 'the record is damaged',
  'too-large': 'the record is larger than any of ours',
  unloaded: 'the file begins as something else than zstd, and goes on as zstd',
} as const

function failure(offset: number, why: keyof typeof REASONS): RecordResult {
  return { ok: false, offset, detail: REASONS[why] }
}

function recordOf(member: Member, offset: number): RecordResult {
  if (!member.ok) return failure(offset, member.why)
  const { content, length } = member
  const start = parseRecord(content)
  if (start === null || start.blockStart + start.blockBytes > content.length)
    return failure(offset, 'damaged')
  const { headers, blockStart, blockBytes } = start
  const block = content.subarray(blockStart, blockStart + blockBytes)
  return { ok: true, offset, length, record: { type: headers.get('warc-type') ?? '', headers, block } }
}

/** The header of a record. Its block may be longer than the bytes that are there. */
export interface RecordStart {
  readonly headers: ReadonlyMap<string, string>
  readonly blockStart: number
  readonly blockBytes: number
}

/** Null if `content` does not begin with the header of a record. */
export function parseRecord(content: Buffer): RecordStart | null {
  if (content.latin1Slice(0, 5) !== 'WARC/') return null
  const headerEnd = content.indexOf('\r\n\r\n', 0, 'latin1')
  if (headerEnd < 0) return null
  const headers = new Map<string, string>()
  for (const line of content.utf8Slice(0, headerEnd).split('\r\n').slice(1)) {
    const colon = line.indexOf(':')
    headers.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim())
  }
  const blockBytes = Number(headers.get('content-length') || Number.NaN)
  return Number.isSafeInteger(blockBytes) && blockBytes >= 0
    ? { headers, blockStart: headerEnd + 4, blockBytes }
    : null
}
