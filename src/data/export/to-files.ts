/** A folder that opens in a browser: every page and object where its URL says, links made relative. */
import { isUtf8 } from 'node:buffer'
import { ConfigError } from '../../config/index.js'
import { normaliseUrl } from '../../model/url/index.js'
import { closeEmptyTags, toUtf8 } from '../../page/parse/index.js'
import type { ExportIndex, IndexedPage } from './export-index.js'
import { filePathOf, relativeHref } from './file-names.js'
import { writeFrontPage } from './front-page.js'
import { gatherRedirects } from './gather-pages.js'
import { exportPages, indexBodies, type PageExportOptions, writeBodies } from './page-export.js'
import type { ExportResult, Progress } from './progress.js'
import { rewriteCss } from './rewrite-css.js'
import { rewriteHtml } from './rewrite-html.js'
import { claimFolder, Folder } from './target.js'

interface FilesOptions extends PageExportOptions {
  /** Replaced in tests. */
  readonly convert?: typeof contentOf
}

export function exportFiles(
  dir: string,
  out: string,
  progress: Progress,
  { convert = contentOf, ...options }: FilesOptions = {},
): Promise<ExportResult> {
  return exportPages(dir, progress, options, async run => {
    const { tables, index, counts } = run
    if (counts.archived === 0)
      throw new ConfigError(
        `${dir} has no archive (--archive none), so there are no files to export; --to jsonl and --to markdown work from the tables`,
      )
    await indexBodies(run, page => filePathOf(page.url, page.mime))
    await gatherRedirects(tables, index)
    claimFolder(out)
    const folder = new Folder(out)
    await writeBodies(run, folder, (page, body) => convert(page, body, index))
    await writeFrontPage(folder, index)
  })
}

function contentOf(page: IndexedPage, body: Buffer, index: ExportIndex): string | Buffer {
  const relink = (url: string) => {
    const path = index.pathOf(url)
    return path === null ? null : relativeHref(page.path, path)
  }
  if (page.mime === 'text/html' || page.mime === 'application/xhtml+xml') {
    const { bytes, start, charset } = toUtf8(body, page.charset === '' ? undefined : page.charset)
    const html = (page.mime === 'text/html' ? bytes : closeEmptyTags(bytes)).toString('utf8', start)
    // The byte order mark makes browsers read UTF-8, even if the page declares the encoding in which it was
    // received.
    return `\ufeff${rewriteHtml(html, page.url, relink, charset) ?? html}`
  }
  if (page.mime === 'image/svg+xml' && isUtf8(body)) {
    const svg = body.toString('utf8')
    return rewriteHtml(svg, page.url, relink) ?? svg
  }
  if (page.mime === 'text/css') return Buffer.from(rewriteSheet(body, page.url, relink), 'latin1')
  return body
}

/** Decoded as Latin-1, every byte is one character and is written back unchanged; URLs are ASCII. */
function rewriteSheet(body: Buffer, sheetUrl: string, relink: (url: string) => string | null): string {
  return rewriteCss(body.toString('latin1'), raw => {
    const url = normaliseUrl(raw, sheetUrl)
    return url === null || raw.startsWith('#') ? null : (relink(url) ?? url)
  })
}
