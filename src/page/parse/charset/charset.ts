/**
 * Converts a page to UTF-8. The encoding comes, in the order of the HTML standard, from the byte order mark,
 * the HTTP header, `<meta>` or the XML declaration, and is otherwise detected. @exodus/bytes decodes, because
 * Node's TextDecoder treats windows-1252 (and others) as Latin-1.
 */

import { isAscii, isUtf8 } from 'node:buffer'
import { getBOMEncoding, labelToName, legacyHookDecode } from '@exodus/bytes/encoding.js'
import { detect } from 'chardet'
import sniffDeclaredEncoding from 'html-encoding-sniffer'
import { CHARSET_DETECT_BYTES, CHARSET_PRESCAN_BYTES, LATE_META_BYTES } from '../../limits.js'

export interface Utf8Page {
  /** Lower-case name of the Encoding standard: `utf-8`, `windows-1252`. */
  readonly charset: string
  /** Valid UTF-8; the body's own buffer if that already was. */
  readonly bytes: Buffer
  /** Length of the byte order mark. */
  readonly start: number
}

const XML_DECLARATION_BYTES = 256

/** Encodings in which bytes below 128 are not always ASCII. */
const NOT_ASCII = new Set(['utf-16le', 'utf-16be', 'iso-2022-jp', 'replacement'])

export function toUtf8(body: Buffer, label: string | undefined): Utf8Page {
  const charset = charsetOf(body, label)
  if (charset === 'utf-8') {
    const start = body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? 3 : 0
    return { charset, bytes: isUtf8(body) ? body : Buffer.from(body.utf8Slice(0, body.length)), start }
  }
  if (!NOT_ASCII.has(charset) && isAscii(body)) return { charset, bytes: body, start: 0 }
  return { charset, bytes: Buffer.from(legacyHookDecode(body, charset)), start: 0 }
}

function charsetOf(body: Buffer, label: string | undefined): string {
  const marked = getBOMEncoding(body)
  if (marked !== null) return marked
  const named = label === undefined ? null : encodingName(label)
  return named ?? declaredCharset(body) ?? detectedCharset(body)
}

/** Cached: a crawl meets few labels. */
const names = new Map<string, string | null>()
const NAMES_MAX = 256

/** The encoding that a label stands for, in lower case; null for an unknown label. */
export function encodingName(label: string): string | null {
  let name = names.get(label)
  if (name === undefined) {
    name = labelToName(label)?.toLowerCase() ?? null
    if (names.size >= NAMES_MAX) names.clear()
    names.set(label, name)
  }
  return name
}

const DECLARATION = /charset(\s*=\s*["']?\s*utf-?8["'\s/>;])?/gi

/**
 * Whether the page declares UTF-8, only once, and is valid UTF-8, as nearly all are. A declaration in a
 * comment counts too, since the bytes agree with it.
 */
function declaresUtf8(body: Buffer): boolean {
  if (body[0] === 0x3c && body[1] === 0x3f) return false
  const head = body.latin1Slice(0, Math.min(body.length, CHARSET_PRESCAN_BYTES))
  const found = head.match(DECLARATION)
  return found?.length === 1 && found[0].length > 'charset'.length && isUtf8(body)
}

function declaredCharset(body: Buffer): string | null {
  if (declaresUtf8(body)) return 'utf-8'
  try {
    const name = sniffDeclaredEncoding(body, { defaultEncoding: '' })
    if (name !== '') return name.toLowerCase()
  } catch {
    // The sniffer throws on a `content` that ends in "charset", which declares nothing.
  }
  if (body[0] !== 0x3c || body[1] !== 0x3f) return null
  const head = body.latin1Slice(0, Math.min(body.length, XML_DECLARATION_BYTES))
  const label = /^<\?xml\s[^>]*?\sencoding\s*=\s*["']([^"'>]+)["']/.exec(head)?.[1]
  return label === undefined ? null : encodingName(label)
}

function detectedCharset(body: Buffer): string {
  const sample = body.length > CHARSET_DETECT_BYTES ? body.subarray(0, CHARSET_DETECT_BYTES) : body
  const wide = wideCharset(sample)
  if (wide !== null) return wide
  if (isUtf8(body)) return 'utf-8'
  const late = lateCharset(body)
  if (late !== null) return late
  const detected = detect(sample)
  return (detected === null ? null : encodingName(detected)) ?? 'windows-1252'
}

const LATE_META = /<meta[\s/][^<>]{0,200}?charset\s*=\s*["']?\s*([\w.:-]{1,40})/i

function lateCharset(body: Buffer): string | null {
  const label = LATE_META.exec(body.latin1Slice(0, Math.min(body.length, LATE_META_BYTES)))?.[1]
  const name = label === undefined ? null : encodingName(label)
  // A page whose meta could be read as ASCII is not in UTF-16, whatever it declares.
  return name?.startsWith('utf-16') ? 'utf-8' : name
}

/** UTF-16 without a byte order mark: in markup every other byte is zero. */
function wideCharset(sample: Buffer): string | null {
  const end = Math.min(sample.length & ~1, 256)
  let even = 0
  let odd = 0
  for (let i = 0; i < end; i += 2) {
    if (sample[i] === 0) even++
    if (sample[i + 1] === 0) odd++
  }
  if (end < 8) return null
  if (odd * 4 > end && even === 0) return 'utf-16le'
  return even * 4 > end && odd === 0 ? 'utf-16be' : null
}
