/** Reads the URLs that a sitemap lists, in any form, encoding and condition. */

import { isZstdFrame } from '../../../model/bytes/index.js'
import { LIMITS } from '../../../model/index.js'
import { LinkResolver } from '../../../model/url/index.js'
import { ContentDecoder } from '../../fetch/body/index.js'
import { readContentType, toUtf8 } from '../../parse/index.js'
import { addressLines } from './address-lines.js'
import { readEntries, type SitemapForm, type TakeEntry, utf8 } from './sitemap-entries.js'

export interface SitemapReading {
  /** `none`: not a sitemap, perhaps an error page. */
  readonly form: SitemapForm | 'none'
  readonly pages: number
  readonly sitemaps: number
  /** It exceeds a limit, or the compressed body ends early. */
  readonly isCut: boolean
}

export interface ListedUrls {
  page(url: string): void
  sitemap(url: string): void
}

const decoder = new ContentDecoder(1)
/** For a sitemap.xml.gz that the server compresses once more. */
const LAYERS = 2

/** Undoes gzip and zstd, detected by their first bytes, within the size limit. */
export async function unpackSitemap(
  body: Buffer,
): Promise<{ readonly body: Buffer; readonly isCut: boolean }> {
  let unpacked = body
  let isCut = false
  for (let layer = 0; layer < LAYERS; layer++) {
    const packing = packingOf(unpacked)
    if (packing === null) break
    const decoded = await decoder.decode(unpacked, [packing], LIMITS.sitemapBytes)
    if (!decoded.ok) return { body: EMPTY, isCut: true }
    unpacked = decoded.body
    isCut ||= decoded.cut !== null
  }
  return { body: unpacked, isCut }
}

function packingOf(body: Buffer): 'gzip' | 'zstd' | null {
  if (body[0] === 0x1f && body[1] === 0x8b) return 'gzip'
  return isZstdFrame(body, 0) ? 'zstd' : null
}

const EMPTY = Buffer.alloc(0)

/** `url` is the sitemap's own, normalised; relative entries are resolved against it. */
export function readSitemap(
  body: Buffer,
  url: string,
  contentType: string | undefined,
  listed: ListedUrls,
): SitemapReading {
  const kept = body.length > LIMITS.sitemapBytes ? body.subarray(0, LIMITS.sitemapBytes) : body
  const page = toUtf8(kept, wideLabel(kept) ?? readContentType(contentType).charset)
  const text = page.bytes.latin1Slice(page.start, page.bytes.length)
  const counts = { page: 0, sitemap: 0, entries: 0 }
  const resolver = new LinkResolver(url)
  const take: TakeEntry = (href, kind) => {
    const target = resolver.resolve(href.trim())
    if (target !== null) {
      if (target.length <= LIMITS.urlChars) counts[kind]++
      listed[kind](target)
    }
    return ++counts.entries < LIMITS.sitemapUrls
  }
  const form = readLines(text, take) ?? readEntries(text, take) ?? 'none'
  const isCut = kept !== body || counts.entries >= LIMITS.sitemapUrls
  return { form, pages: counts.page, sitemaps: counts.sitemap, isCut }
}

/** The first character of markup shows UTF-16, even if a header says otherwise. */
function wideLabel(body: Buffer): string | undefined {
  if (body[0] === 0x3c && body[1] === 0) return 'utf-16le'
  return body[0] === 0 && body[1] === 0x3c ? 'utf-16be' : undefined
}

/** Reads one address per line; null if there is none. */
function readLines(text: string, take: TakeEntry): SitemapForm | null {
  if (text.charCodeAt(firstVisible(text)) === 0x3c) return null
  let found = false
  for (const line of addressLines(text)) {
    found = true
    if (!take(utf8(line), SITEMAP_NAME.test(line) ? 'sitemap' : 'page')) break
  }
  return found ? 'text' : null
}

/** Some sites list their sitemaps in a text file. No page has such a name. */
const SITEMAP_NAME = /\/[^/?#]*sitemap[^/?#]*\.(xml|txt)(\.gz)?$/i

function firstVisible(text: string): number {
  let at = 0
  while (at < text.length && text.charCodeAt(at) <= 0x20) at++
  return at
}
