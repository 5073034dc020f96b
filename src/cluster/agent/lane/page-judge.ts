/** Asks the guest about a fetched page, and makes of its judgement what is to be stored. */
import type { Millis, ParsedPage } from '../../../model/index.js'
import type { JudgedPage, Judgement } from '../../../page/guest/index.js'
import { parsePage, toUtf8 } from '../../../page/parse/index.js'
import type { FetchOutcome } from '../pack/index.js'
import type { PageFaults } from '../site/index.js'
import type { Content } from './content.js'

/** The request that brought a page. */
export interface JudgedVisit {
  readonly url: string
  readonly depth: number
  readonly status: number
  readonly startedAt: Millis
  readonly fetchMs: Millis
  /** Decoded. */
  readonly body: Buffer
}

export interface JudgedContent {
  readonly outcome: FetchOutcome
  readonly content: Content
}

const HTML = 'text/html; charset=utf-8'
const PLAIN = 'text/plain; charset=utf-8'
const IS_TEXT = /^text\/|[/+](?:xml|json)$|^application\/(?:javascript|xhtml)/

/** The page on its way to the guest. Its text is copied: the parser reuses the bytes for the next page. */
export function judgedPage(page: ParsedPage, visit: JudgedVisit): JudgedPage {
  const bytes = Buffer.from(page.text)
  let text: string | null = null
  let html: string | null = null
  return {
    facts: {
      url: visit.url,
      status: visit.status,
      depth: visit.depth,
      fetchedAt: visit.startedAt,
      fetchMs: visit.fetchMs,
      mime: page.mime,
      charset: page.charset,
      title: page.title,
      description: page.description,
      language: page.language,
      canonical: page.canonical,
      bodyBytes: visit.body.length,
      textBytes: bytes.length,
      linkCount: page.links.length + page.knownLinks,
    },
    links: page.links,
    text: () => (text ??= bytes.toString()),
    html: () => (html ??= htmlOf(page, visit.body)),
    // A copy: the guest may keep it, and the buffer of a response is used again.
    get body() {
      return Buffer.from(visit.body)
    },
  }
}

function htmlOf({ mime, charset }: ParsedPage, body: Buffer): string {
  if (!IS_TEXT.test(mime)) return ''
  const { bytes, start } = toUtf8(body, charset === '' ? undefined : charset)
  return bytes.toString('utf8', start)
}

/** A failure becomes the outcome of the page, which is stored as without a guest. */
export function withJudgement(
  outcome: FetchOutcome,
  content: Content,
  judgement: Judgement,
  url: string,
  faults: PageFaults,
): JudgedContent {
  if (!judgement.ok) {
    const { failure } = judgement
    return { outcome: { ...outcome, code: failure.code, detail: faults.ofGuest(url, failure) }, content }
  }
  const { verdict, part, items } = judgement
  if (verdict !== 'part') return { outcome, content: { ...content, verdict, items } }
  const bytes = Buffer.from(part)
  const isHtml = (content.page?.mime ?? '').includes('html') && part.includes('<')
  const conversion = { mime: isHtml ? HTML : PLAIN, bytes }
  return {
    outcome,
    content: { ...content, verdict, items, conversion, partText: isHtml ? textOf(url, bytes) : bytes },
  }
}

function textOf(url: string, body: Buffer): Buffer {
  const { text } = parsePage({ url, body, contentType: HTML, wantText: true, wantRequisites: false })
  return Buffer.from(text)
}
