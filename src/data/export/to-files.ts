/** A folder that opens in a browser: every page and object where its URL says, links made relative. */
import { isUtf8 } from 'node:buffer'
import { join } from 'node:path'
import { ConfigError } from '../../config/index.js'
import { normaliseUrl } from '../../model/url/index.js'
import { closeEmptyTags, toUtf8 } from '../../page/parse/index.js'
import { openTables, type TablesOptions, withScratch } from '../query/index.js'
import { ArchiveBodies } from './archive-bodies.js'
import { type EarlierCrawls, NO_EARLIER } from './earlier-crawls.js'
import { ExportIndex, type IndexedPage } from './export-index.js'
import { filePathOf, relativeHref } from './file-names.js'
import { writeFrontPage } from './front-page.js'
import { type CrawlCounts, countPages, gatherPages, gatherRedirects, refuseEmpty } from './gather-pages.js'
import { type Exported, ExportTally, type Progress } from './progress.js'
import { rewriteCss } from './rewrite-css.js'
import { rewriteHtml } from './rewrite-html.js'
import { claimFolder, Folder } from './target.js'

interface FilesOptions extends TablesOptions {
  readonly earlier?: EarlierCrawls
  /** Another than our own is for tests. */
  readonly convert?: typeof contentOf
}

export async function exportFiles(
  dir: string,
  out: string,
  progress: Progress,
  options: FilesOptions = {},
): Promise<Exported> {
  return withScratch(async scratch => {
    const book = new ExportIndex(join(scratch, 'book.db'))
    try {
      const tally = new ExportTally(progress)
      const { earlier = NO_EARLIER } = options
      const counts = await gather(dir, book, tally, earlier, options)
      claimFolder(out)
      const bodies = new ArchiveBodies([dir, ...earlier.directories], book)
      await writePages(bodies, book, new Folder(out), tally, counts, options)
      return tally
    } finally {
      book.close()
    }
  })
}

async function gather(
  dir: string,
  book: ExportIndex,
  tally: ExportTally,
  earlier: EarlierCrawls,
  options: TablesOptions,
): Promise<CrawlCounts> {
  const tables = await openTables(dir, options)
  try {
    const counts = await countPages(tables, dir)
    refuseEmpty(counts, dir)
    if (counts.archived === 0)
      throw new ConfigError(
        `${dir} has no archive (--archive none), so there are no files to export; --to jsonl and --to markdown work from the tables`,
      )
    const trouble = await gatherPages(tables, book, earlier, page => filePathOf(page.url, page.mime))
    tally.missed(book.unplaced(), trouble)
    book.removeUnplaced()
    await gatherRedirects(tables, book)
    return counts
  } finally {
    await tables.close()
  }
}

async function writePages(
  bodies: ArchiveBodies,
  book: ExportIndex,
  folder: Folder,
  tally: ExportTally,
  counts: CrawlCounts,
  { convert = contentOf, interruption }: FilesOptions,
): Promise<void> {
  try {
    for (const page of book.pages()) {
      interruption?.signal.throwIfAborted()
      const body = await bodies.bodyOf(page)
      if (!body.ok) {
        tally.skip(body.why, page.url, body.detail)
        continue
      }
      const content = tally.converted(page.url, () => convert(page, body.bytes, book))
      if (content === null) continue
      await folder.write(page.path, content)
      book.markWritten(page.url)
      tally.wrote(counts.pages, page.archive)
    }
  } finally {
    await bodies.close()
  }
  await writeFrontPage(folder, book)
}

function contentOf(page: IndexedPage, body: Buffer, book: ExportIndex): string | Buffer {
  const relink = (url: string) => {
    const path = book.pathOf(url)
    return path === null ? null : relativeHref(page.path, path)
  }
  if (page.mime === 'text/html' || page.mime === 'application/xhtml+xml') {
    const { bytes, start, charset } = toUtf8(body, page.charset === '' ? undefined : page.charset)
    const html = (page.mime === 'text/html' ? bytes : closeEmptyTags(bytes)).toString('utf8', start)
    // The mark says UTF-8 whatever the page said of itself when it came over the wire in another encoding.
    return `\ufeff${rewriteHtml(html, page.url, relink, charset) ?? html}`
  }
  if (page.mime === 'image/svg+xml' && isUtf8(body)) {
    const svg = body.toString('utf8')
    return rewriteHtml(svg, page.url, relink) ?? svg
  }
  if (page.mime === 'text/css') return Buffer.from(rewriteSheet(body, page.url, relink), 'latin1')
  return body
}

/** As Latin-1 every byte is a character and stays what it is; URLs are ASCII. */
function rewriteSheet(body: Buffer, sheetUrl: string, relink: (url: string) => string | null): string {
  return rewriteCss(body.toString('latin1'), raw => {
    const url = normaliseUrl(raw, sheetUrl)
    return url === null || raw.startsWith('#') ? null : (relink(url) ?? url)
  })
}
