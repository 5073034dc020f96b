/**
 * Finds the records of a WARC of any crawler in one pass. Memory does not depend on the length of a record:
 * of a long one only the beginning is kept. After damage nothing more is read: what looks like a record may
 * be part of a page.
 */
import { type FileHandle, open } from 'node:fs/promises'
import { createInflateRaw } from 'node:zlib'
import { OPEN } from '../../../files/index.js'
import { gzipHeadBytes, isZstdFrame, readZstdFrame, skippableEnd } from '../../../model/bytes/index.js'
import { codingFor } from '../../fetch/body/index.js'
import { RECORD_START_BYTES, SCAN_WINDOW_BYTES } from '../../limits.js'
import { firstMember, parseRecord, type RecordStart } from '../warc/index.js'

interface ScannedRecord extends RecordStart {
  readonly offset: number
  /** Bytes in the file. */
  readonly length: number
}

export type ScanResult =
  | { readonly ok: true; readonly record: ScannedRecord }
  /** `isLast`: the rest of the file cannot be read. */
  | { readonly ok: false; readonly offset: number; readonly detail: string; readonly isLast: boolean }

const TRAILER_BYTES = 8

export class RecordScan {
  readonly #file: FileHandle
  readonly #end: number
  #window: Buffer = Buffer.alloc(0)
  #windowAt = 0

  private constructor(file: FileHandle, end: number) {
    this.#file = file
    this.#end = end
  }

  static async *of(path: string): AsyncGenerator<ScanResult> {
    const file = await open(path, OPEN.read)
    try {
      yield* new RecordScan(file, (await file.stat()).size).#records()
    } finally {
      await file.close()
    }
  }

  async *#records(): AsyncGenerator<ScanResult> {
    for (let at = 0; at < this.#end; ) {
      const found = await this.#recordAt(at)
      if (typeof found === 'string') {
        yield { ok: false, offset: at, detail: found, isLast: true }
        return
      }
      const { start, length, contentBytes } = found
      const record = start === null ? null : parseRecord(start)
      if (record === null || length === 0) {
        // A zstd file may begin with a dictionary or other frames that are no records.
        if (start !== null) yield { ok: false, offset: at, detail: 'not a WARC record', isLast: length === 0 }
        if (length === 0) return
      } else {
        const promised = record.blockStart + record.blockBytes
        const isShort = contentBytes !== null && promised > contentBytes
        const isMore = contentBytes !== null && contentBytes > promised + RECORD_START_BYTES
        if (isShort)
          yield { ok: false, offset: at, detail: 'a record that is shorter than it says', isLast: false }
        else if (isMore)
          yield {
            ok: false,
            offset: at,
            detail: 'several records compressed as one; recompress the file',
            isLast: false,
          }
        if (!isMore) yield { ok: true, record: { ...record, offset: at, length } }
      }
      at += length
    }
  }

  /** The beginning of the record at `at`; a text says why there is none. */
  async #recordAt(at: number): Promise<Found | string> {
    await this.#fill(at, 4)
    const bytes = this.#from(at)
    if (bytes[0] === 0x1f && bytes[1] === 0x8b) return this.#gzip(at)
    if (isZstdFrame(bytes, 0)) return this.#zstd(at)
    if (skippableEnd(bytes, 0) > 0) return this.#skippable(at)
    return this.#plain(at)
  }

  async #gzip(at: number): Promise<Found | string> {
    await this.#fill(at, SCAN_WINDOW_BYTES)
    const bytes = this.#from(at)
    const member = firstMember(bytes, SCAN_WINDOW_BYTES)
    if (member.ok)
      return { start: member.content, length: member.length, contentBytes: member.content.length }
    const isWhole = at + bytes.length === this.#end
    if (member.why === 'damaged') return 'a damaged record'
    if (member.why === 'need' && isWhole) return 'a record that is cut'
    return this.#longGzip(at)
  }

  /** A member that is longer than the window, or becomes so. */
  async #longGzip(at: number): Promise<Found | string> {
    const headBytes = gzipHeadBytes(this.#from(at))
    if (headBytes < 0) return 'a damaged record'
    const inflate = createInflateRaw()
    const kept: Buffer[] = []
    let keptBytes = 0
    let contentBytes = 0
    inflate.on('data', (piece: Buffer) => {
      contentBytes += piece.length
      if (keptBytes < RECORD_START_BYTES) kept.push(piece)
      keptBytes += piece.length
    })
    const ended = new Promise<boolean>(resolve => {
      inflate.once('end', () => resolve(true))
      inflate.once('error', () => resolve(false))
    })
    let isOver = false
    void ended.then(() => {
      isOver = true
    })
    for (let from = at + headBytes; from < this.#end && !isOver; from += SCAN_WINDOW_BYTES) {
      const piece = await this.#read(from, SCAN_WINDOW_BYTES)
      await new Promise<void>(resolve => void inflate.write(piece, () => resolve()))
    }
    if (!isOver) inflate.end()
    const isSound = await ended
    const length = headBytes + inflate.bytesWritten + TRAILER_BYTES
    inflate.destroy()
    if (!isSound || at + length > this.#end) return isSound ? 'a record that is cut' : 'a damaged record'
    return { start: Buffer.concat(kept), length, contentBytes }
  }

  async #zstd(at: number): Promise<Found | string> {
    for (let size = SCAN_WINDOW_BYTES; ; size *= 4) {
      await this.#fill(at, size)
      const bytes = this.#from(at)
      const frame = readZstdFrame(bytes)
      const isCut = frame === null || frame.blocks.end === 'early'
      if (isCut && at + bytes.length < this.#end && size < ZSTD_FRAME_BYTES_MAX) continue
      if (isCut) return 'a record that is cut'
      if (frame.blocks.end === 'damaged') return 'a damaged record'
      if (frame.dictionary !== 0) return 'a record compressed with a dictionary, which is not supported'
      const coding = codingFor('zstd', bytes)
      if (typeof coding === 'string') return 'a damaged record'
      const decoded = await coding.later(bytes.subarray(0, frame.length), RECORD_START_BYTES)
      if (!decoded.ok) return 'a damaged record'
      const contentBytes = decoded.cut === 'limit' ? null : decoded.body.length
      return { start: decoded.body, length: frame.length, contentBytes }
    }
  }

  async #skippable(at: number): Promise<Found | string> {
    await this.#fill(at, 8)
    return { start: null, length: skippableEnd(this.#from(at), 0), contentBytes: null }
  }

  async #plain(at: number): Promise<Found | string> {
    await this.#fill(at, RECORD_START_BYTES)
    const start = this.#from(at)
    const record = parseRecord(start)
    if (record === null) return 'not a WARC record'
    const length = record.blockStart + record.blockBytes + 4
    if (at + length - 4 > this.#end) return 'a record that is cut'
    return { start, length, contentBytes: null }
  }

  #from(at: number): Buffer {
    return this.#window.subarray(at - this.#windowAt)
  }

  /** Has at least so many bytes from `at` on in the window, as far as the file goes. */
  async #fill(at: number, bytes: number): Promise<void> {
    const wanted = Math.min(bytes, this.#end - at)
    if (at >= this.#windowAt && this.#windowAt + this.#window.length >= at + wanted) return
    this.#window = await this.#read(at, Math.max(bytes, 2 * SCAN_WINDOW_BYTES))
    this.#windowAt = at
  }

  async #read(at: number, length: number): Promise<Buffer> {
    const bytes = Buffer.allocUnsafeSlow(Math.min(length, this.#end - at))
    let done = 0
    while (done < bytes.length) {
      const { bytesRead } = await this.#file.read(bytes, done, bytes.length - done, at + done)
      if (bytesRead === 0) break
      done += bytesRead
    }
    return bytes.subarray(0, done)
  }
}

/** `contentBytes`: after decompression; null if unknown. `start` is null for what is no record. */
interface Found {
  readonly start: Buffer | null
  readonly length: number
  readonly contentBytes: number | null
}

const ZSTD_FRAME_BYTES_MAX = 16 * SCAN_WINDOW_BYTES
