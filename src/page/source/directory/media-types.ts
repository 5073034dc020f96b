/**
 * The Content-Type of a file: what its bytes say, with its extension where they do not say enough. No charset
 * is given: a page declares its own, or it is detected.
 */
import { detectType, readContentType } from '../../parse/charset/index.js'

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html',
  htm: 'text/html',
  shtml: 'text/html',
  xhtml: 'application/xhtml+xml',
  xht: 'application/xhtml+xml',
  txt: 'text/plain',
  md: 'text/markdown',
  css: 'text/css',
  csv: 'text/csv',
  js: 'text/javascript',
  mjs: 'text/javascript',
  json: 'application/json',
  map: 'application/json',
  webmanifest: 'application/manifest+json',
  xml: 'text/xml',
  xsl: 'text/xml',
  rss: 'application/rss+xml',
  atom: 'application/atom+xml',
  svg: 'image/svg+xml',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  avif: 'image/avif',
  ico: 'image/x-icon',
  woff: 'font/woff',
  woff2: 'font/woff2',
  ttf: 'font/ttf',
  otf: 'font/otf',
  pdf: 'application/pdf',
  zip: 'application/zip',
  gz: 'application/gzip',
  tgz: 'application/gzip',
  wasm: 'application/wasm',
  mp3: 'audio/mpeg',
  ogg: 'audio/ogg',
  mp4: 'video/mp4',
  webm: 'video/webm',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  odt: 'application/vnd.oasis.opendocument.text',
  epub: 'application/epub+zip',
}
const DECLARED = new Map(Object.entries(TYPES).map(([extension, type]) => [extension, readContentType(type)]))
const UNKNOWN = readContentType(undefined)

/** `path` of a URL without query; a directory's is that of its index file. */
export function mediaTypeOf(path: string, head: Buffer): string {
  const dot = path.lastIndexOf('.')
  const extension = path.indexOf('/', dot) < 0 ? path.slice(dot + 1).toLowerCase() : ''
  const declared = dot < 0 ? undefined : DECLARED.get(extension)
  return detectType(declared ?? UNKNOWN, head)
}
