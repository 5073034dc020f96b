/** Writes an answer as HTTP/1.1: status line, headers and body in one buffer, for one write. */

import type { Millis } from '../../model/index.js'
import { CHUNK_BYTES } from '../limits.js'
import type { Answer } from './answers.js'
import type { ByteWriter } from './byte-writer.js'
import type { RequestHead } from './request-head.js'

const REASONS: Readonly<Record<number, string>> = {
  200: 'OK',
  301: 'Moved Permanently',
  302: 'Found',
  303: 'See Other',
  304: 'Not Modified',
  307: 'Temporary Redirect',
  308: 'Permanent Redirect',
  400: 'Bad Request',
  404: 'Not Found',
  405: 'Method Not Allowed',
  431: 'Request Header Fields Too Large',
  503: 'Service Unavailable',
}
/** Room before the body for the head, which is written last, when the length is known. */
const HEAD_ROOM = 2_048

export interface ResponseBytes {
  readonly status: number
  /** A view of the writer's buffer. */
  readonly bytes: Buffer
}

export class ResponseWriter {
  readonly writer: ByteWriter
  #dateSecond = -1
  #dateText = ''

  constructor(writer: ByteWriter) {
    this.writer = writer
  }

  answer(request: RequestHead, answer: Answer, keepAlive: boolean, nowMs: Millis): ResponseBytes {
    const unchanged = answer.status === 200 && isUnchanged(request, answer)
    const status = unchanged ? 304 : answer.status
    let fields = ''
    if (answer.etag !== '') fields += `ETag: ${answer.etag}\r\n`
    if (answer.modifiedMs !== 0) fields += `Last-Modified: ${httpDate(answer.modifiedMs)}\r\n`
    if (answer.location !== '') fields += `Location: ${answer.location}\r\n`
    if (!unchanged) fields += `Content-Type: ${answer.type}\r\n`
    fields += connectionField(request, keepAlive)
    const { writer } = this
    writer.length = HEAD_ROOM
    if (!unchanged) answer.write(writer)
    const bodyBytes = writer.length - HEAD_ROOM
    if (unchanged) return this.#finish(status, fields, nowMs)
    if (answer.chunked && request.http11 && request.method === 'GET') {
      this.#chunk(bodyBytes)
      return this.#finish(status, `${fields}Transfer-Encoding: chunked\r\n`, nowMs)
    }
    if (request.method === 'HEAD') writer.length = HEAD_ROOM
    return this.#finish(status, `${fields}Content-Length: ${bodyBytes}\r\n`, nowMs)
  }

  /** A text response; `extra` has complete header lines. */
  plain(status: number, text: string, extra: string, nowMs: Millis): ResponseBytes {
    this.writer.length = HEAD_ROOM
    this.writer.text(text)
    const length = `Content-Type: text/plain\r\nContent-Length: ${text.length}\r\n`
    return this.#finish(status, extra + length, nowMs)
  }

  /** Puts the head in front of the body. */
  #finish(status: number, fields: string, nowMs: Millis): ResponseBytes {
    const date = `Date: ${this.#date(nowMs)}\r\n`
    const head = `HTTP/1.1 ${status} ${REASONS[status]}\r\n${date}Server: orbweaver-web\r\n${fields}\r\n`
    if (head.length > HEAD_ROOM) throw new Error('response head longer than its room')
    const start = HEAD_ROOM - head.length
    this.writer.bytes.write(head, start, 'latin1')
    return { status, bytes: this.writer.bytes.subarray(start, this.writer.length) }
  }

  /** Rewrites the body as chunks. */
  #chunk(bodyBytes: number): void {
    const body = Buffer.from(this.writer.bytes.subarray(HEAD_ROOM, HEAD_ROOM + bodyBytes))
    this.writer.length = HEAD_ROOM
    for (let at = 0; at < bodyBytes; at += CHUNK_BYTES) {
      const chunk = body.subarray(at, at + CHUNK_BYTES)
      this.writer.text(`${chunk.length.toString(16)}\r\n`)
      this.writer.chunk(chunk)
      this.writer.text('\r\n')
    }
    this.writer.text('0\r\n\r\n')
  }

  #date(nowMs: Millis): string {
    const second = Math.floor(nowMs / 1_000)
    if (second !== this.#dateSecond) {
      this.#dateSecond = second
      this.#dateText = httpDate(nowMs)
    }
    return this.#dateText
  }
}

function httpDate(ms: Millis): string {
  return new Date(ms).toUTCString()
}

function connectionField(request: RequestHead, keepAlive: boolean): string {
  if (!keepAlive) return 'Connection: close\r\n'
  return request.http11 ? '' : 'Connection: keep-alive\r\n'
}

/** RFC 9110, 13.1: an entity tag takes precedence over a date; dates count in whole seconds. */
function isUnchanged(request: RequestHead, answer: Answer): boolean {
  if (request.ifNoneMatch !== '') {
    if (answer.etag === '') return false
    const tag = answer.etag.replace('W/', '')
    return request.ifNoneMatch
      .split(',')
      .some(given => given.trim() === '*' || given.trim().replace('W/', '') === tag)
  }
  if (request.ifModifiedSince === '' || answer.modifiedMs === 0) return false
  const since = Date.parse(request.ifModifiedSince)
  return since >= Math.floor(answer.modifiedMs / 1_000) * 1_000
}
