/** One Markdown file per page: front matter, then its main text. */
import { closeEmptyTags, parsePage, toUtf8 } from '../../page/parse/index.js'
import { IS_PAGE } from '../query/index.js'
import type { ExportedPage } from './export-index.js'
import { filePathOf } from './file-names.js'
import { NOWHERE } from './gather-pages.js'
import { htmlToMarkdown } from './html-to-markdown.js'
import {
  exportPages,
  indexBodies,
  type PageExport,
  type PageExportOptions,
  writeBodies,
} from './page-export.js'
import type { ExportResult, Progress } from './progress.js'
import { claimFolder, Folder } from './target.js'

const TEXT_TYPES = new Set(['text/html', 'application/xhtml+xml', 'text/plain', 'text/markdown'])

/** Texts in the tables: the export writes those of pages whose bodies it did not find. */
const TEXTS = `SELECT url, coalesce(title, '') AS title, fetch_time, text FROM pages
  WHERE ${IS_PAGE} AND text IS NOT NULL ORDER BY url, fetch_time`

type PageFacts = Pick<ExportedPage, 'url' | 'title' | 'fetchedAt'>

interface MarkdownOptions extends PageExportOptions {
  /** Replaced in tests. */
  readonly convert?: typeof markdownOf
}

export function exportMarkdown(
  dir: string,
  out: string,
  progress: Progress,
  { convert = markdownOf, ...options }: MarkdownOptions = {},
): Promise<ExportResult> {
  return exportPages(dir, progress, options, async run => {
    claimFolder(out)
    const folder = new Folder(out)
    if (run.counts.archived > 0) {
      await indexBodies(run, ({ url, mime }) => (TEXT_TYPES.has(mime) ? filePathOf(url, mime, '.md') : null))
      await writeBodies(run, folder, (page, body) => frontMatter(page) + convert(page, body))
    }
    await writeTexts(run, folder)
  })
}

async function writeTexts({ tables, index, tally, counts }: PageExport, folder: Folder): Promise<void> {
  const unread = { mime: 'text/html', charset: '', digest: '', ...NOWHERE }
  for await (const row of tables.query(TEXTS)) {
    const page = {
      ...unread,
      url: String(row.url),
      title: String(row.title),
      fetchedAt: String(row.fetch_time),
    }
    if (index.pathOf(page.url) !== null) continue
    index.add(page, filePathOf(page.url, page.mime, '.md'))
    const path = index.pathOf(page.url) ?? ''
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

/** The text as the tables have it, for pages that exceed the limits of the tree. */
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
