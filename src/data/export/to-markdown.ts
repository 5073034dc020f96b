/** One Markdown file per page: front matter, then its main text. */
import { join } from 'node:path'
import { closeEmptyTags, parsePage, toUtf8 } from '../../page/parse/index.js'
import { openTables, type Tables, type TablesOptions, withScratch } from '../query/index.js'
import { ArchiveBodies } from './archive-bodies.js'
import { type EarlierCrawls, NO_EARLIER } from './earlier-crawls.js'
import { type ExportedPage, ExportIndex } from './export-index.js'
import { filePathOf } from './file-names.js'
import { type CrawlCounts, countPages, gatherPages, NOWHERE, refuseEmpty } from './gather-pages.js'
import { htmlToMarkdown } from './html-to-markdown.js'
import { type Exported, ExportTally, type Progress } from './progress.js'
import { claimFolder, Folder } from './target.js'

const TEXT_TYPES = new Set(['text/html', 'application/xhtml+xml', 'text/plain', 'text/markdown'])

/**
 * What the tables hold of pages that are not in the archive: all without one, else those that did not change.
 */
const TEXTS = `SELECT url, coalesce(title, '') AS title, fetch_time, text FROM pages
  WHERE outcome IN ('OK', 'NOT_MODIFIED') AND text IS NOT NULL ORDER BY url, fetch_time`

type PageFacts = Pick<ExportedPage, 'url' | 'title' | 'fetchedAt'>

interface MarkdownOptions extends TablesOptions {
  readonly earlier?: EarlierCrawls
  /** Another than our own is for tests. */
  readonly convert?: typeof markdownOf
}

export async function exportMarkdown(
  dir: string,
  out: string,
  progress: Progress,
  options: MarkdownOptions = {},
): Promise<Exported> {
  return withScratch(async scratch => {
    const tables = await openTables(dir, options)
    const book = new ExportIndex(join(scratch, 'book.db'))
    try {
      const tally = new ExportTally(progress)
      const counts = await countPages(tables, dir)
      refuseEmpty(counts, dir)
      claimFolder(out)
      const folder = new Folder(out)
      const work = { tables, dir, book, folder, tally, counts }
      if (counts.archived > 0) await writeBodies(work, options)
      await writeTexts(work)
      return tally
    } finally {
      book.close()
      await tables.close()
    }
  })
}

/** What an export reads, and where it writes. */
interface Work {
  readonly tables: Tables
  readonly dir: string
  readonly book: ExportIndex
  readonly folder: Folder
  readonly tally: ExportTally
  readonly counts: CrawlCounts
}

async function writeBodies(work: Work, options: MarkdownOptions): Promise<void> {
  const { earlier = NO_EARLIER, convert = markdownOf, interruption } = options
  const { tables, dir, book, folder, tally, counts } = work
  const trouble = await gatherPages(tables, book, earlier, page =>
    TEXT_TYPES.has(page.mime) ? filePathOf(page.url, page.mime, '.md') : null,
  )
  tally.missed(book.unplaced(), trouble)
  book.removeUnplaced()
  const bodies = new ArchiveBodies([dir, ...earlier.directories], book)
  try {
    for (const page of book.pages()) {
      interruption?.signal.throwIfAborted()
      const body = await bodies.bodyOf(page)
      if (body.ok) {
        const markdown = tally.converted(page.url, () => convert(page, body.bytes))
        if (markdown === null) continue
        await folder.write(page.path, frontMatter(page) + markdown)
        tally.wrote(counts.pages, page.archive)
        continue
      }
      tally.skip(body.why, page.url, body.detail)
      // The tables have its text all the same.
      if (body.why === 'elsewhere') book.remove(page.url)
    }
  } finally {
    await bodies.close()
  }
}

async function writeTexts({ tables, book, folder, tally, counts }: Work): Promise<void> {
  const unread = { mime: 'text/html', charset: '', digest: '', ...NOWHERE }
  for await (const row of tables.query(TEXTS)) {
    const page = {
      ...unread,
      url: String(row.url),
      title: String(row.title),
      fetchedAt: String(row.fetch_time),
    }
    if (book.pathOf(page.url) !== null) continue
    book.add(page, filePathOf(page.url, page.mime, '.md'))
    const path = book.pathOf(page.url) ?? ''
    await folder.write(path, `${frontMatter(page)}${paragraphs(String(row.text))}\n`)
    tally.wrote(counts.pages)
    tally.tookText()
  }
}

function markdownOf(page: ExportedPage, body: Buffer): string {
  const { bytes, start, charset } = toUtf8(body, page.charset === '' ? undefined : page.charset)
  const text = (page.mime.includes('xhtml') ? closeEmptyTags(bytes) : bytes).toString('utf8', start)
  if (!page.mime.includes('html')) return `${text.trimEnd()}\n`
  return `${htmlToMarkdown(text, page.url, charset) ?? plainText(page, body)}\n`
}

/** The text as the tables have it, for pages that are too tangled for more. */
function plainText(page: ExportedPage, body: Buffer): string {
  const contentType = `${page.mime}; charset=${page.charset}`
  const parsed = parsePage({ url: page.url, body, contentType, wantText: true, wantRequisites: false })
  return paragraphs(parsed.text.toString('utf8'))
}

function paragraphs(text: string): string {
  return text.replaceAll('\n', '\n\n')
}

/** Quoted as JSON, which YAML takes as it is. */
function frontMatter({ url, title, fetchedAt }: PageFacts): string {
  return `---\nurl: ${JSON.stringify(url)}\ntitle: ${JSON.stringify(title)}\nfetched: ${fetchedAt}\n---\n\n`
}
