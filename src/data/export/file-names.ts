/**
 * Where a URL goes in an exported folder: host/path/name.ext. Names are safe on every file system and never
 * leave the folder; directories and files cannot meet, because a file always ends in an extension and a
 * directory never does.
 */

import { createHash } from 'node:crypto'
import { siteOf, targetOf } from '../../model/url/index.js'
import { PATH_BYTES } from '../limits.js'
import { extensionFor } from './extensions.js'

/** Windows stops at 260 characters for a whole path, most others at 255 bytes for a name. */
const NAME_BYTES = 80

const EXTENSION = /\.[A-Za-z0-9]{1,10}$/
const RESERVED = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i

/** Names that the export itself uses at the top. */
const TAKEN = new Set(['index.html', '_pages'])

/**
 * The file path of a URL, with `/`. The extension is `extension` (with its dot), by default that of `mime`.
 */
export function filePathOf(url: string, mime: string, extension?: string): string {
  const target = targetOf(url)
  const mark = target.indexOf('?')
  const path = mark < 0 ? target : target.slice(0, mark)
  const query = mark < 0 ? '' : target.slice(mark + 1)
  const segments = path.split('/').slice(1)
  const last = segments.pop() ?? ''
  const host = hostDirectory(siteOf(url))
  const name = fileName(last, query, mime, extension)
  const directories = segments.filter(segment => segment !== '').map(directoryName)
  const full = [host, ...directories, name].join('/')
  if (Buffer.byteLength(full) <= PATH_BYTES) return full
  // The path is too deep or too long: a hash makes it unique, and the file name is kept for the reader.
  return [host, `~${shortHash(path)}`, name].join('/')
}

/** A second choice for a URL whose path is taken, e.g. by one that differs in case only. */
export function distinctPath(path: string, url: string): string {
  const dot = path.lastIndexOf('.')
  return `${path.slice(0, dot)}~${shortHash(url)}${path.slice(dot)}`
}

/** Equal for paths that case-insensitive or normalising file systems do not tell apart. */
export function pathKey(path: string): string {
  return path.normalize('NFC').toLowerCase()
}

/** `to` as a link from the file `from`; both are paths inside the folder. */
export function relativeHref(from: string, to: string): string {
  const source = from.split('/')
  const target = to.split('/')
  let same = 0
  while (same < source.length - 1 && same < target.length - 1 && source[same] === target[same]) same++
  const up = '../'.repeat(source.length - 1 - same)
  const href = up + target.slice(same).map(encodeURIComponent).join('/')
  return up === '' && href.includes(':') ? `./${href}` : href
}

function hostDirectory(site: string): string {
  const name = safeName(
    site
      .replaceAll(/[[\]]/g, '')
      .replace(/:(\d+)$/, '+$1')
      .replaceAll(':', '-'),
  )
  return TAKEN.has(name) ? `${name}_` : cutName(name, site)
}

function directoryName(segment: string): string {
  const name = cutName(safeName(decoded(segment)), segment)
  return EXTENSION.test(name) ? `${name}_` : name
}

function fileName(last: string, query: string, mime: string, forced: string | undefined): string {
  const plain = last === '' ? 'index' : safeName(decoded(last))
  const found = EXTENSION.exec(plain)?.[0] ?? ''
  const wanted = forced ?? extensionFor(mime, found)
  const keep = wanted === '' || wanted === found.toLowerCase()
  const stem = keep ? plain.slice(0, plain.length - found.length) : plain
  const extension = keep ? found || '.bin' : wanted
  const asked = query === '' ? '' : `@${safeName(decoded(query))}`
  return cutName(`${stem}${asked}`, `${last}?${query}`, NAME_BYTES - extension.length) + extension
}

/** Percent-escapes undone where they are UTF-8, else left as they are. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function safeName(text: string): string {
  const name = text
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}<>:"/\\|?*]/gu, '_')
    .replace(/^[\s.]+/, '_')
    .replace(/[\s.]+$/, '_')
  if (name === '') return '_'
  return RESERVED.test(name) || name.startsWith('~') ? `_${name}` : name
}

/** At most `bytes` of UTF-8; a cut name ends in the hash of `meant`. */
function cutName(name: string, meant: string, bytes = NAME_BYTES): string {
  if (Buffer.byteLength(name) <= bytes) return name
  const room = bytes - 9
  let end = Math.min(name.length, room)
  while (Buffer.byteLength(name.slice(0, end)) > room) end--
  if (/[\uD800-\uDBFF]$/.test(name.slice(0, end))) end--
  return `${name.slice(0, end)}~${shortHash(meant)}`
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8)
}
