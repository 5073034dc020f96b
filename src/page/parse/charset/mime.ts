/**
 * Detects the type of a body. A signature decides over the declared type, because servers send pictures as
 * text/html. Between kinds of text the declared type decides: a page sent as text/plain is source code.
 */
import type { ContentType } from './content-type.js'

const HEAD_BYTES = 1_024

type Signature = readonly [offset: number, bytes: string, mime: string]

/** Formats with a signature of their own. */
const SIGNATURES: readonly Signature[] = [
  [0, '%PDF-', 'application/pdf'],
  [0, '\x89PNG\r\n\x1a\n', 'image/png'],
  [0, 'GIF87a', 'image/gif'],
  [0, 'GIF89a', 'image/gif'],
  [0, '\xff\xd8\xff', 'image/jpeg'],
  [8, 'WEBP', 'image/webp'],
  [0, '\0\0\x01\0', 'image/x-icon'],
  [0, 'wOFF', 'font/woff'],
  [0, 'wOF2', 'font/woff2'],
  [0, 'fLaC', 'audio/flac'],
  [0, 'ID3', 'audio/mpeg'],
  [0, '%!PS-Adobe-', 'application/postscript'],
  [0, '{\\rtf', 'application/rtf'],
  [0, '\0asm', 'application/wasm'],
]

/** Containers of many formats: the declared type is more precise, unless it is a text type. */
const CONTAINERS: readonly Signature[] = [
  [0, 'PK\x03\x04', 'application/zip'],
  [0, '\x1f\x8b\x08', 'application/gzip'],
  [0, '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', 'application/x-ole-storage'],
  [0, '7z\xbc\xaf\x27\x1c', 'application/x-7z-compressed'],
  [0, 'Rar!\x1a\x07', 'application/vnd.rar'],
  [0, 'BZh', 'application/x-bzip2'],
  [0, '\xfd7zXZ\0', 'application/x-xz'],
  [0, '\x28\xb5\x2f\xfd', 'application/zstd'],
  [0, 'OggS', 'application/ogg'],
  [4, 'ftyp', 'video/mp4'],
  [0, '\x1aE\xdf\xa3', 'video/webm'],
]

export function isHtml(mime: string): boolean {
  return mime === 'text/html' || mime === 'application/xhtml+xml'
}

export function detectType(declared: ContentType, body: Buffer): string {
  const { essence } = declared
  const first = firstVisible(body)
  // The usual case, decided without making a string.
  if (essence === 'text/html' && body[first] === 0x3c && !mayBeFeed(body, first)) return essence
  const head = body.latin1Slice(0, Math.min(body.length, HEAD_BYTES))
  for (const [offset, bytes, mime] of SIGNATURES) if (head.startsWith(bytes, offset)) return mime
  for (const [offset, bytes, mime] of CONTAINERS)
    if (head.startsWith(bytes, offset)) return isTextual(essence) || essence === '' ? mime : essence
  return detectText(essence, head.slice(first), head)
}

/** Position of the first byte after white space and byte order mark. */
function firstVisible(body: Buffer): number {
  let i = body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? 3 : 0
  const end = Math.min(body.length, HEAD_BYTES)
  while (i < end && body[i]! <= 0x20) i++
  return i
}

/** `<?xml`, `<rss`, `<feed`, `<rdf:RDF`: may be a feed that is served as HTML. */
function mayBeFeed(body: Buffer, at: number): boolean {
  const c = body[at + 1]!
  return c === 0x3f || (c | 0x20) === 0x72 || (c | 0x20) === 0x66
}

function isTextual(essence: string): boolean {
  return essence.startsWith('text/') || essence === 'application/xhtml+xml' || essence === 'application/json'
}

function detectText(essence: string, visible: string, head: string): string {
  switch (essence) {
    case 'text/html':
      if (looksBinary(head)) return 'application/octet-stream'
      return feedType(visible) ?? essence
    case 'application/xhtml+xml':
      return essence
    case 'application/octet-stream':
      return looksBinary(head) ? essence : 'text/plain'
    case '':
    case '*/*':
    case 'unknown/unknown':
    case 'application/unknown':
      return detectUnknown(visible, head)
  }
  if (/^(?:text|application)\/xml$|\+xml$/.test(essence)) return xmlType(visible) ?? essence
  return isTextual(essence) && looksBinary(head) ? 'application/octet-stream' : essence
}

function detectUnknown(visible: string, head: string): string {
  if (HTML_START.test(visible)) return 'text/html'
  if (visible.startsWith('<?xml')) return xmlType(visible) ?? 'application/xml'
  if (looksBinary(head)) return 'application/octet-stream'
  return /^(?:\{\s*["}]|\[\s*["{[\]\d])/.test(visible) ? 'application/json' : 'text/plain'
}

/** The tags by which the MIME Sniffing standard recognises HTML. */
const HTML_START =
  /^<(?:!doctype html|html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p|!--)(?:[\t\n\f\r >]|$)/i

/** The type that the root element of an XML document implies. */
function xmlType(visible: string): string | null {
  const rest = withoutProlog(visible)
  if (/^<html[\s>]/i.test(rest)) return 'application/xhtml+xml'
  if (/^<svg[\s>]/i.test(rest)) return 'image/svg+xml'
  return feedType(rest)
}

function feedType(visible: string): string | null {
  const rest = withoutProlog(visible)
  if (/^<rss[\s>]/i.test(rest)) return 'application/rss+xml'
  if (/^<feed[\s>]/i.test(rest)) return 'application/atom+xml'
  return /^<rdf:rdf[\s>]/i.test(rest) ? 'application/rdf+xml' : null
}

/** `text` after XML declaration, comments, doctype and processing instructions. */
function withoutProlog(text: string): string {
  let rest = text
  for (;;) {
    const close = rest.startsWith('<!--') ? '-->' : /^<[?!]/.test(rest) ? '>' : null
    const end = close === null ? -1 : rest.indexOf(close)
    if (close === null || end < 0) return rest
    rest = rest.slice(end + close.length).trimStart()
  }
}

/** Counts control characters that text does not contain. Tolerates a few, and the zeros of UTF-16. */
function looksBinary(head: string): boolean {
  let odd = 0
  for (let i = 0; i < head.length; i++) odd += ODD[head.charCodeAt(i)]!
  return odd > 16 && odd * 10 > head.length
}

const ODD = new Uint8Array(256).fill(1, 0x01, 0x20)
for (const c of '\t\n\f\r\x1b') ODD[c.charCodeAt(0)] = 0
