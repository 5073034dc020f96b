/** Answers requests from a document root, as a static server does. */
import { closeSync, read, readSync } from 'node:fs'
import { promisify } from 'node:util'
import type { Clock, LocalMedium } from '../../../model/index.js'
import { type FetchLimits, LIMITS, type Millis, type Truncation } from '../../../model/index.js'
import { isWantedType, parseHead, type ResponseHead } from '../../fetch/http/index.js'
import type { FetchRequest, FetchResult } from '../../fetch/index.js'
import { FILE_PIECE_BYTES, SMALL_FILE_BYTES } from '../../limits.js'
import { type BodyClaim, LocalExchange, type LocalReader, ReadPace } from '../local/index.js'
import { DocumentRoot, type Found } from './document-root.js'
import { mediaTypeOf } from './media-types.js'

type File = Extract<Found, { is: 'file' }>

interface Reading {
  readonly request: FetchRequest
  readonly startedAt: Millis
  readonly since: Millis
  readonly claim: BodyClaim
}

const readAsync = promisify(read)
const NOTHING = Buffer.alloc(0)

export class DirectoryReader implements LocalReader {
  readonly #prefix: string
  readonly #root: DocumentRoot
  readonly #clock: Clock
  readonly #limits: FetchLimits
  readonly #pace: ReadPace

  /** Serves the URLs below `prefix` from `root`; throws if there is no such directory. */
  constructor(prefix: string, root: string, clock: Clock, limits: FetchLimits) {
    this.#prefix = prefix
    this.#root = new DocumentRoot(root)
    this.#clock = clock
    this.#limits = limits
    this.#pace = new ReadPace(clock)
  }

  read(request: FetchRequest, startedAt: Millis, claim: BodyClaim): FetchResult | Promise<FetchResult> {
    const reading = { request, startedAt, since: this.#clock.monotonic(), claim }
    const path = pathOf(request.url.slice(this.#prefix.length))
    const found = this.#root.find(path)
    switch (found.is) {
      case 'file':
        return this.#answer(reading, path, found)
      case 'directory':
        return this.#without(reading, 301, `Location: ${withSlash(request.url)}\r\n`)
      case 'missing':
        return this.#without(reading, 404)
      case 'forbidden':
        return this.#without(reading, 403)
      case 'broken':
        return { ok: false, code: 'SOURCE_FAILED', detail: found.detail }
    }
  }

  close(): void {}

  #answer(reading: Reading, path: string, file: File): FetchResult | Promise<FetchResult> {
    const lines = validators(file)
    if (isUnchanged(reading.request, file)) {
      closeSync(file.fd)
      return this.#exchange(reading, headOf(304, lines), NOTHING, 'file')
    }
    const maxBytes = reading.request.bodyBytes ?? this.#limits.bodyBytes
    // One byte more shows that the file is longer.
    const wanted = Math.min(file.bytes, maxBytes) + 1
    if (wanted > SMALL_FILE_BYTES || !this.#pace.atOnce)
      return this.#later(reading, path, file, wanted, lines)
    const bytes = Buffer.allocUnsafeSlow(wanted)
    reading.claim.add(wanted)
    let done = 0
    try {
      done = readFully(file.fd, bytes)
    } catch (error) {
      return failed(error)
    } finally {
      closeSync(file.fd)
    }
    this.#pace.ended(reading.since)
    return this.#file(reading, path, bytes.subarray(0, done), maxBytes, lines)
  }

  async #later(
    reading: Reading,
    path: string,
    { fd }: File,
    wanted: number,
    lines: string,
  ): Promise<FetchResult> {
    try {
      const maxBytes = reading.request.bodyBytes ?? this.#limits.bodyBytes
      await reading.claim.room(wanted)
      const bytes = Buffer.allocUnsafeSlow(wanted)
      let done = 0
      while (done < bytes.length) {
        const { bytesRead } = await readAsync(
          fd,
          bytes,
          done,
          Math.min(FILE_PIECE_BYTES, bytes.length - done),
          done,
        )
        if (bytesRead === 0) break
        done += bytesRead
      }
      return this.#file(reading, path, bytes.subarray(0, done), maxBytes, lines)
    } catch (error) {
      return failed(error)
    } finally {
      closeSync(fd)
    }
  }

  #file(reading: Reading, path: string, read: Buffer, maxBytes: number, lines: string): FetchResult {
    const { types } = reading.request
    const type = mediaTypeOf(path, read)
    const head = headOf(200, `Content-Type: ${type}\r\n${lines}`)
    if (types !== undefined && !isWantedType(type, types)) {
      const { exchange } = this.#exchange(reading, head, NOTHING, 'none', 'length')
      return { ok: false, code: 'TYPE_NOT_WANTED', detail: `content type "${type}"`, exchange }
    }
    if (read.length > maxBytes)
      return this.#exchange(reading, head, read.subarray(0, maxBytes), 'file', 'length')
    return this.#exchange(reading, head, read, 'file')
  }

  /** An answer that no file stands for. */
  #without(reading: Reading, status: number, lines = ''): FetchResult {
    return this.#exchange(reading, headOf(status, lines), NOTHING, 'none')
  }

  #exchange(
    { request, startedAt, since, claim }: Reading,
    head: ResponseHead,
    body: Buffer,
    medium: LocalMedium,
    truncated?: Truncation,
  ): Extract<FetchResult, { ok: true }> {
    const fetchMs = this.#clock.monotonic() - since
    const parts = {
      head,
      responseHead: NOTHING,
      remoteAddress: '',
      rawBody: body,
      payload: body,
      body,
      truncated,
      medium,
    }
    const read = { url: request.url, startedAt, fetchMs, ...parts }
    return { ok: true, exchange: new LocalExchange(read, () => claim.leave()) }
  }
}

/** Without the query, which a static server ignores. */
function pathOf(target: string): string {
  const query = target.indexOf('?')
  return query < 0 ? target : target.slice(0, query)
}

function withSlash(url: string): string {
  const query = url.indexOf('?')
  return query < 0 ? `${url}/` : `${url.slice(0, query)}/${url.slice(query)}`
}

function readFully(fd: number, bytes: Buffer): number {
  let done = 0
  while (done < bytes.length) {
    const count = readSync(fd, bytes, done, bytes.length - done, done)
    if (count === 0) break
    done += count
  }
  return done
}

function failed(error: unknown): FetchResult {
  return { ok: false, code: 'SOURCE_FAILED', detail: (error as Error).message }
}

function validators({ bytes, mtimeMs }: File): string {
  return `Last-Modified: ${new Date(mtimeMs).toUTCString()}\r\nETag: ${etagOf(bytes, mtimeMs)}\r\n`
}

function etagOf(bytes: number, mtimeMs: number): string {
  return `"${Math.round(mtimeMs * 1_000).toString(16)}-${bytes.toString(16)}"`
}

/** An ETag decides if the last crawl has one; otherwise the time of the last change, in whole seconds. */
function isUnchanged({ known }: FetchRequest, { bytes, mtimeMs }: File): boolean {
  if (known === undefined) return false
  if (known.etag !== '') return known.etag === etagOf(bytes, mtimeMs)
  return Math.floor(mtimeMs / 1_000) * 1_000 <= Date.parse(known.lastModified)
}

function headOf(status: number, lines: string): ResponseHead {
  return parseHead(`HTTP/1.1 ${status} \r\n${lines}\r\n`, LIMITS.headerCount) as ResponseHead
}
