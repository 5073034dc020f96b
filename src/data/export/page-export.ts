/** The common part of exports that write a file per page: index the pages, read bodies, write files. */
import { join } from 'node:path'
import { openTables, type Tables, type TablesOptions, withScratch } from '../query/index.js'
import { ArchiveBodies } from './archive-bodies.js'
import { type EarlierCrawls, NO_EARLIER } from './earlier-crawls.js'
import { type ExportedPage, ExportIndex, type IndexedPage } from './export-index.js'
import { type CrawlCounts, countPages, gatherPages, refuseEmpty } from './gather-pages.js'
import { type ExportResult, ExportTally, type Progress } from './progress.js'
import type { Folder } from './target.js'

export interface PageExportOptions extends TablesOptions {
  readonly earlier?: EarlierCrawls
}

/** What an export reads, and what it has done so far. */
export interface PageExport {
  readonly dir: string
  readonly tables: Tables
  readonly index: ExportIndex
  readonly tally: ExportTally
  readonly counts: CrawlCounts
  readonly options: PageExportOptions
}

/** Runs `work` on the crawl in `dir`. Throws a ConfigError when the crawl has no page. */
export function exportPages(
  dir: string,
  progress: Progress,
  options: PageExportOptions,
  work: (run: PageExport) => Promise<void>,
): Promise<ExportResult> {
  return withScratch(async scratch => {
    const tables = await openTables(dir, options)
    const index = new ExportIndex(join(scratch, 'index.db'))
    try {
      const counts = await countPages(tables, dir)
      refuseEmpty(counts, dir)
      const tally = new ExportTally(progress)
      await work({ dir, tables, index, tally, counts, options })
      return tally
    } finally {
      index.close()
      await tables.close()
    }
  })
}

/** Adds to the index every page that `pathFor` gives a path and whose body is in an archive. */
export async function indexBodies(
  { tables, index, tally, options }: PageExport,
  pathFor: (page: ExportedPage) => string | null,
): Promise<void> {
  const trouble = await gatherPages(tables, index, options.earlier ?? NO_EARLIER, pathFor)
  tally.missed(index.unplaced(), trouble)
  index.removeUnplaced()
}

/** Writes the result of `convert` for each indexed page. Pages without a body leave the index. */
export async function writeBodies(
  { dir, index, tally, counts, options }: PageExport,
  folder: Folder,
  convert: (page: IndexedPage, body: Buffer) => string | Uint8Array,
): Promise<void> {
  const bodies = new ArchiveBodies([dir, ...(options.earlier ?? NO_EARLIER).directories], index)
  try {
    for (const page of index.pages()) {
      options.interruption?.signal.throwIfAborted()
      const body = await bodies.bodyOf(page)
      if (!body.ok) {
        tally.skip(body.why, page.url, body.detail)
        if (body.why === 'elsewhere') index.remove(page.url)
        continue
      }
      const content = tally.converted(page.url, () => convert(page, body.bytes))
      if (content === null) continue
      await folder.write(page.path, content)
      index.markWritten(page.url)
      tally.wrote(counts.pages, page.archive)
    }
  } finally {
    await bodies.close()
  }
}
