/** Reads archives back: one record by its place, all records of a file, and the page inside a response. */
import { type FileHandle, open } from 'node:fs/promises'
import { OPEN } from '../../../files/index.js'
import { isZstdFrame, loadZstd } from '../../../model/bytes/index.js'
import { LIMITS } from '../../../model/index.js'
import { ContentDecoder } from '../../../page/fetch/body/index.js'
import {
  ChunkScanner,
  codingsOf,
  dechunk,
  headEnd,
  parseHead,
  type ResponseHead,
} from '../../../page/fetch/http/index.js'
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
const WINDOW_BYTES = 256 * 1024

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
      let size = WINDOW_BYTES
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
  const headerEnd = content.indexOf('\r\n\r\n', 0, 'latin1')
  if (headerEnd < 0 || !content.toString('latin1', 0, 5).startsWith('WARC/'))
    return failure(offset, 'damaged')
  const headers = new Map<string, string>()
  for (const line of content.toString('utf8', 0, headerEnd).split('\r\n').slice(1)) {
    const colon = line.indexOf(':')
    headers.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim())
  }
  const blockStart = headerEnd + 4
  const blockBytes = Number(headers.get('content-length'))
  if (!(blockBytes >= 0) || blockStart + blockBytes > content.length) return failure(offset, 'damaged')
  const block = content.subarray(blockStart, blockStart + blockBytes)
  return { ok: true, offset, length, record: { type: headers.get('warc-type') ?? '', headers, block } }
}

export interface ArchivedResponse {
  readonly head: ResponseHead
  /** Without chunk framing, still content-encoded. */
  readonly payload: Buffer
  /** Decoded, cut at the given bound. */
  readonly body: Buffer
}

const decoder = new ContentDecoder(LIMITS.stackedEncodings)

/** The bytes of `WARC-Payload-Digest`; null if the record has no HTTP response. */
export function archivedPayload({ block }: WarcRecord): Buffer | null {
  const found = headOf(block)
  return found && payloadOf(found.head, block.subarray(found.end))
}

function headOf(block: Buffer): { readonly head: ResponseHead; readonly end: number } | null {
  const end = headEnd(block, 0, block.length)
  if (end < 0) return null
  const head = parseHead(block.toString('latin1', 0, end), LIMITS.headerCount)
  return 'code' in head ? null : { head, end }
}

/** The HTTP response in a `response` or `revisit` record; null when it holds none that can be decoded. */
export async function responseOf(
  record: WarcRecord,
  maxBytes: number = LIMITS.bodyBytes,
): Promise<ArchivedResponse | null> {
  const found = headOf(record.block)
  if (!found) return null
  const { head, end } = found
  const payload = payloadOf(head, record.block.subarray(end))
  const decoded = await decoder.decode(payload, codingsOf(head), maxBytes)
  if (!decoded.ok) return null
  return { head, payload, body: decoded.body.subarray(0, maxBytes) }
}

/** Our archives have no chunk framing; others may. */
function payloadOf(head: ResponseHead, raw: Buffer): Buffer {
  if (!head.members('transfer-encoding').includes('chunked')) return raw
  const scanner = new ChunkScanner(LIMITS.chunkLineBytes, LIMITS.headerBytes)
  scanner.feed(raw, 0, raw.length)
  return scanner.at === 'bad' ? raw : dechunk(raw, scanner)
}
