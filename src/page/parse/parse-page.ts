/** Parses the body of a response into links, facts and text. */
import { type KnownLinks, LIMITS, LinkKind, type ParsedPage } from '../../model/index.js'
import { originOf } from '../../model/url/index.js'
import {
  type ContentType,
  detectType,
  encodingName,
  isHtml,
  readContentType,
  toUtf8,
  type Utf8Page,
} from './charset/index.js'
import { Findings, PendingLinks, pageBase, refreshTarget } from './links/index.js'
import { textAreaStart, withSentinels } from './memory/index.js'
import { Scanner } from './scanner.js'
import { oneLine, TextRanges, TextWriter } from './text/index.js'
import { fullParse } from './tree/index.js'
import { closeEmptyTags } from './xhtml.js'

export interface ParseRequest {
  /** Normalised. */
  readonly url: string
  /** After undoing Content-Encoding. */
  readonly body: Buffer
  readonly contentType: string | undefined
  /** The Refresh header, which means the same as `<meta http-equiv=refresh>`. */
  readonly refresh?: string | undefined
  readonly wantText: boolean
  readonly wantRequisites: boolean
  /** Links in it are counted instead of listed. */
  readonly known?: KnownLinks | null
}

const NOTHING = Buffer.alloc(0)
const scanner = new Scanner()
const ranges = new TextRanges()
const textWriter = new TextWriter()
const pending = new PendingLinks()

export function parsePage(request: ParseRequest): ParsedPage {
  const declared = readContentType(request.contentType)
  const mime = detectType(declared, request.body)
  return isHtml(mime) ? parseHtml(request, declared, mime) : parseOther(declared, mime)
}

function parseHtml(request: ParseRequest, declared: ContentType, mime: string): ParsedPage {
  const decoded = toUtf8(request.body, declared.charset)
  const page =
    mime === 'application/xhtml+xml' ? { ...decoded, bytes: closeEmptyTags(decoded.bytes) } : decoded
  const length = page.bytes.length - page.start
  const memory = withSentinels(page.bytes, page.start, request.wantText)
  const text = request.wantText ? ranges : null
  text?.reset()
  pending.reset()
  const scanned = new Findings(pending, request.wantRequisites)
  const understood = scanner.scan(memory, length, scanned, text)
  const findings = understood ? scanned : (parseFully(page, request.wantRequisites) ?? scanned)
  const refresh = request.refresh === undefined ? null : refreshTarget(request.refresh)
  if (refresh !== null) findings.links.addText(refresh, LinkKind.refresh)
  const base = pageBase(request.url, findings.base, page.charset)
  const isOwn = base.url !== null && originOf(base.url) === originOf(request.url)
  const known = isOwn ? (request.known ?? null) : null
  const resolved = findings.links.resolve(base, memory, known)
  return {
    charset: page.charset,
    mime,
    links: resolved.links,
    kinds: resolved.kinds,
    knownLinks: resolved.known,
    title: findings.title,
    description: oneLine(findings.description ?? '', LIMITS.descriptionChars),
    canonical: findings.canonical === null ? '' : (base.resolve(findings.canonical) ?? ''),
    language: oneLine(findings.language ?? findings.metaLanguage ?? '', LIMITS.languageChars),
    robots: findings.robots,
    text: text === null ? NOTHING : textWriter.write(memory, text, textAreaStart(length)),
  }
}

/** The findings of the full parser; null if the page is too large for it, so that the scanner's must do. */
function parseFully(page: Utf8Page, wantRequisites: boolean): Findings | null {
  const bytes = page.bytes.length - page.start
  return bytes > LIMITS.fullParseBytes
    ? null
    : fullParse(page.bytes.utf8Slice(page.start, page.bytes.length), wantRequisites)
}

function parseOther(declared: ContentType, mime: string): ParsedPage {
  return {
    charset: (declared.charset === undefined ? null : encodingName(declared.charset)) ?? '',
    mime,
    links: [],
    kinds: new Uint8Array(0),
    knownLinks: 0,
    title: '',
    description: '',
    canonical: '',
    language: '',
    robots: '',
    text: NOTHING,
  }
}
