/** Reads CDXJ lines: key, timestamp and a JSON object, as pywb, cdxj-indexer and we write them. */
import { createReadStream } from 'node:fs'
import { LIMITS } from '../../../model/index.js'
import { normaliseUrl } from '../../../model/url/index.js'
import { CDXJ_LINE_BYTES_MAX } from '../../limits.js'
import type { Capture } from './capture-index.js'

type Entry = Omit<Capture, 'file'>

/** Entries for the WARC `name`; null for a line that cannot be used. */
export async function* cdxjEntries(path: string, name: string): AsyncGenerator<Entry | null> {
  for await (const line of lines(path)) {
    const entry = line === null ? null : entryOf(line, name)
    if (entry !== undefined) yield entry
  }
}

/** Lines, and null for one that is too long. */
async function* lines(path: string): AsyncGenerator<string | null> {
  let rest = ''
  let isLong = false
  for await (const piece of createReadStream(path, { encoding: 'utf8' }) as AsyncIterable<string>) {
    const parts = (rest + piece).split('\n')
    rest = parts.pop() ?? ''
    for (const part of parts) {
      yield isLong || part.length > CDXJ_LINE_BYTES_MAX ? null : part
      isLong = false
    }
    if (rest.length <= CDXJ_LINE_BYTES_MAX) continue
    isLong = true
    rest = ''
  }
  if (isLong) yield null
  else if (rest !== '') yield rest
}

/** Undefined for a line that is about nothing that we read. */
function entryOf(line: string, name: string): Entry | null | undefined {
  if (line.trim() === '' || line.startsWith('!')) return undefined
  const [, timestamp = '', json = ''] = /^\S* (\d{4,17}) (\{.*\})\s*$/.exec(line) ?? []
  const fields = parsed(json)
  if (fields === null) return null
  if (typeof fields.filename === 'string' && !fields.filename.endsWith(name)) return undefined
  if (!/^https?:/i.test(String(fields.url))) return undefined
  const url = normaliseUrl(String(fields.url))
  const [offset, length] = [Number(fields.offset), Number(fields.length)]
  if (url === null || url.length > LIMITS.urlChars) return null
  if (!Number.isSafeInteger(offset) || offset < 0 || !Number.isSafeInteger(length) || length <= 0) return null
  const kind = fields.mime === 'warc/revisit' ? 'revisit' : 'response'
  const digest = typeof fields.digest === 'string' ? withAlgorithm(fields.digest) : ''
  return { url, at: timeOf(timestamp), offset, length, kind, digest }
}

function parsed(json: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null
  } catch {
    return null
  }
}

/** Digests without a name are SHA-1, as records write them. */
function withAlgorithm(digest: string): string {
  return digest.includes(':') || digest === '' ? digest : `sha1:${digest}`
}

/** `20261119210857` or the beginning of it, perhaps with milliseconds. */
function timeOf(timestamp: string): number {
  const part = (from: number, to: number, absent: string) =>
    timestamp.slice(from, to).padEnd(to - from, absent)
  const [year, month, day] = [part(0, 4, '0'), timestamp.slice(4, 6) || '01', timestamp.slice(6, 8) || '01']
  const time = `${part(8, 10, '0')}:${part(10, 12, '0')}:${part(12, 14, '0')}.${part(14, 17, '0')}`
  const at = Date.parse(`${year}-${month}-${day}T${time}Z`)
  return Number.isNaN(at) ? 0 : at
}
