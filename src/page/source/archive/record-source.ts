/** Reads single records of the WARC files of an archive by their places. */
import { closeSync, openSync, read, readSync } from 'node:fs'
import { promisify } from 'node:util'
import { OPEN } from '../../../files/index.js'
import type { Millis } from '../../../model/index.js'
import { codingFor } from '../../fetch/body/index.js'
import { FILE_PIECE_BYTES, FOLLOWING_BYTES, OPEN_ARCHIVES, SMALL_FILE_BYTES } from '../../limits.js'
import type { BodyClaim } from '../local/index.js'
import { firstMember, parseRecord, type WarcRecord } from '../warc/index.js'
import type { CapturePlace } from './capture-index.js'

export interface StoredRecord extends WarcRecord {
  /** `limit`: longer than what was asked for. `early`: damaged, or its file ends inside it. */
  readonly cut: 'limit' | 'early' | null
}

export type RecordAnswer = StoredRecord | { readonly detail: string }

/** A request and a metadata record follow a response. */
const FOLLOWING_RECORDS = 2
const readAsync = promisify(read)

export class RecordSource {
  readonly #files: readonly string[]
  /** The last used last. */
  readonly #open = new Map<number, OpenFile>()

  constructor(files: readonly string[]) {
    this.#files = files
  }

  /** The record, with at most `maxBytes` of it. `later`: read it in the thread pool. */
  atOnce(place: CapturePlace, maxBytes: number, claim: BodyClaim): RecordAnswer | 'later' {
    if (place.length > SMALL_FILE_BYTES) return 'later'
    const bytes = Buffer.allocUnsafeSlow(place.length)
    claim.add(bytes.length)
    const { fd } = this.#fileOf(place.file)
    let done = 0
    while (done < bytes.length) {
      const count = readSync(fd, bytes, done, bytes.length - done, place.offset + done)
      if (count === 0) break
      done += count
    }
    return contentAtOnce(bytes.subarray(0, done), maxBytes, claim)
  }

  /** How long the crawler waited for the response, if it wrote that into a record behind it; else 0. */
  fetchMsAfter({ file, offset, length }: CapturePlace, id: string): Millis {
    const bytes = Buffer.allocUnsafeSlow(FOLLOWING_BYTES)
    const count = readSync(this.#fileOf(file).fd, bytes, 0, bytes.length, offset + length)
    let rest = bytes.subarray(0, count)
    for (let record = 0; record < FOLLOWING_RECORDS; record++) {
      const member = firstMember(rest, FOLLOWING_BYTES)
      const start = member.ok ? parseRecord(member.content) : null
      if (!member.ok || start === null) return 0
      const isIts =
        start.headers.get('warc-concurrent-to') === id && start.headers.get('warc-type') === 'metadata'
      if (isIts)
        return Number(/^fetchTimeMs: (\d{1,9})\r?$/m.exec(member.content.toString('latin1'))?.[1] ?? 0)
      rest = rest.subarray(member.length)
    }
    return 0
  }

  async later(place: CapturePlace, maxBytes: number, claim: BodyClaim): Promise<RecordAnswer> {
    // Compressed data that grows is not worth reading: more than this is never decoded.
    const wanted = Math.min(place.length, 2 * maxBytes)
    await claim.room(wanted)
    const file = this.#fileOf(place.file)
    file.uses++
    try {
      const bytes = Buffer.allocUnsafeSlow(wanted)
      let done = 0
      while (done < bytes.length) {
        const length = Math.min(FILE_PIECE_BYTES, bytes.length - done)
        const { bytesRead } = await readAsync(file.fd, bytes, done, length, place.offset + done)
        if (bytesRead === 0) break
        done += bytesRead
      }
      return await contentLater(bytes.subarray(0, done), maxBytes, claim)
    } finally {
      file.uses--
      if (file.isClosing && file.uses === 0) closeSync(file.fd)
    }
  }

  close(): void {
    for (const file of this.#open.values()) closeUnused(file)
    this.#open.clear()
  }

  #fileOf(number: number): OpenFile {
    const known = this.#open.get(number)
    if (known !== undefined) {
      if (this.#open.size > 1) {
        this.#open.delete(number)
        this.#open.set(number, known)
      }
      return known
    }
    const file = { fd: openSync(this.#files[number], OPEN.read), uses: 0, isClosing: false }
    this.#open.set(number, file)
    if (this.#open.size > OPEN_ARCHIVES) {
      const [[oldest, unused]] = this.#open
      this.#open.delete(oldest)
      closeUnused(unused)
    }
    return file
  }
}

interface OpenFile {
  readonly fd: number
  /** Reads of the thread pool. */
  uses: number
  isClosing: boolean
}

function closeUnused(file: OpenFile): void {
  file.isClosing = true
  if (file.uses === 0) closeSync(file.fd)
}

function contentAtOnce(bytes: Buffer, maxBytes: number, claim: BodyClaim): RecordAnswer | 'later' {
  const coding = codingOf(bytes)
  if (coding === null) return recordIn(bytes, null)
  const decoded = coding.atOnce(bytes, maxBytes)
  if (decoded === 'later') return 'later'
  if (!decoded.ok) return { detail: 'the record is damaged' }
  claim.add(decoded.body.length)
  return recordIn(decoded.body, decoded.cut)
}

async function contentLater(bytes: Buffer, maxBytes: number, claim: BodyClaim): Promise<RecordAnswer> {
  const coding = codingOf(bytes)
  if (coding === null) return recordIn(bytes.subarray(0, maxBytes), bytes.length > maxBytes ? 'limit' : null)
  const decoded = await coding.later(bytes, maxBytes)
  if (!decoded.ok) return { detail: 'the record is damaged' }
  claim.add(decoded.body.length)
  return recordIn(decoded.body, decoded.cut)
}

function codingOf(bytes: Buffer) {
  const name = bytes[0] === 0x1f ? 'gzip' : bytes[0] === 0x28 ? 'zstd' : ''
  const coding = name === '' ? 'identity' : codingFor(name, bytes)
  return typeof coding === 'string' ? null : coding
}

function recordIn(content: Buffer, cut: StoredRecord['cut']): RecordAnswer {
  const start = parseRecord(content)
  if (start === null) return { detail: 'there is no WARC record at the place that the index names' }
  const { headers, blockStart, blockBytes } = start
  const block = content.subarray(blockStart, blockStart + blockBytes)
  const isShort = block.length < blockBytes
  return {
    type: headers.get('warc-type')?.toLowerCase() ?? '',
    headers,
    block,
    cut: isShort ? (cut ?? 'early') : null,
  }
}
