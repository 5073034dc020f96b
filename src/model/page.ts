/** The values between the steps: an exchange (fetch), a parsed page (parse), a page row (store). */
import type { Millis } from './clock.js'
import type { OutcomeCode } from './outcome.js'

/** Meta-info of a URL from the previous crawl (D6), for conditional requests. */
export interface MetaInfo {
  readonly etag: string
  readonly lastModified: string
  /** Payload digest as in the WARC, `sha1:BASE32`. */
  readonly digest: string
  /** WARC-Date of the record with the body, for `WARC-Refers-To-Date`; empty if no archive has it. */
  readonly storedAt: string
  /** Rows of the page in the `links` table, each `target kind`; copied on a 304. */
  readonly links: readonly string[]
  /** The rest of its row, packed (`data/store/tables/page-facts.ts`), if a 304 is possible. */
  readonly facts?: Uint8Array
}

/** Why a body is incomplete: the values of `WARC-Truncated`. */
export type Truncation = 'length' | 'time' | 'disconnect' | 'unspecified'

/**
 * `file`: the body is a file, archived without request and response head. `none`: no bytes were read, for
 * example because there is no such file; nothing is archived.
 */
export type LocalMedium = 'file' | 'none'

/** One HTTP request and its response for the archive, with the bytes as they were sent and received. */
export interface Exchange {
  readonly url: string
  /** Wall time when the request was sent. */
  readonly startedAt: Millis
  /** From sending the request to the last byte. */
  readonly fetchMs: Millis
  /** Time to open the TCP (and TLS) connection; 0 if it was reused. */
  readonly connectMs: Millis
  readonly remoteAddress: string
  /** Request line and headers as sent, with the empty line. */
  readonly requestHead: Buffer
  readonly status: number
  /** Status line and headers as received, with the empty line. */
  readonly responseHead: Buffer
  /** Everything after the head as received, with its chunked framing and compression. */
  readonly rawBody: Buffer
  /** `rawBody` without chunked framing: the payload of the WARC record. The same buffer if not chunked. */
  readonly payload: Buffer
  /** `payload` after decoding its Content-Encoding, bounded. The same buffer if not encoded. */
  readonly body: Buffer
  readonly truncated?: Truncation
  /** Absent: HTTP. */
  readonly medium?: LocalMedium
  /** First value of a response header by lower-case name. */
  header(name: string): string | undefined
  /** All values of a response header by lower-case name, in order. */
  headerValues?(name: string): readonly string[]
  /** The page is stored: its bodies no longer count as in flight. For a request that `holdsBody`. */
  settled?(): void
  /** The bodies are no longer needed: their memory may be reused. Calling it is optional. */
  release?(): void
}

/** Bits of a link: exactly one of the first six is set. */
export const LinkKind = {
  /** a, area */
  anchor: 1,
  /** iframe, frame */
  frame: 2,
  /** meta refresh */
  refresh: 4,
  /** link rel=canonical, next, prev, alternate */
  related: 8,
  /** img, srcset, script, stylesheet, media, object: fetched only with --assets */
  requisite: 16,
  /** Location of a redirect */
  redirect: 32,
  /** rel=nofollow on the link */
  nofollow: 64,
} as const

/** URLs that are known already, by fingerprint: most links of a page lead to them. */
export interface KnownLinks {
  /** `isOwn`: the link leads to the page's own origin. */
  has(low: number, high: number, isOwn: boolean): boolean
}

export interface ParsedPage {
  readonly charset: string
  /** Type detected from the bytes: the column `content_mime_detected`. */
  readonly mime: string
  /** Resolved and normalised, in document order, without duplicates. */
  readonly links: readonly string[]
  /** `LinkKind` bits of each link. */
  readonly kinds: Uint8Array
  /** The number of links that were known already, and so are not in `links`. */
  readonly knownLinks: number
  readonly title: string
  readonly description: string
  readonly canonical: string
  readonly language: string
  /** Content of meta robots (all that apply to us, comma-joined), lower case. */
  readonly robots: string
  /**
   * Main text as UTF-8, a line for each paragraph; empty if not wanted. Valid until the next page is parsed.
   */
  readonly text: Buffer
}

/** Verdicts in the order of their numbers in stored rows: never change one. */
export const KEPT = ['', 'none', 'page', 'part', 'text', 'meta', 'links'] as const
export type Kept = (typeof KEPT)[number]

/** A row of the `pages` table: one per URL that left the queue. */
export interface PageRow {
  readonly url: string
  readonly outcome: OutcomeCode
  readonly fetchedAt: Millis
  readonly fetchMs: number
  readonly status: number
  readonly depth: number
  readonly hops: number
  readonly via: string
  readonly lane: number
  readonly attempt: number
  readonly bodyBytes: number
  readonly digest: string
  readonly mime: string
  readonly mimeDetected: string
  readonly charset: string
  readonly languages: string
  readonly truncated: string
  readonly title: string
  readonly description: string
  readonly canonical: string
  readonly redirect: string
  readonly text: Uint8Array
  readonly outlinks: number
  readonly outlinksForeign: number
  readonly etag: string
  readonly lastModified: string
  /** The verdict of the guest (`page/guest/`); empty without one. */
  readonly kept: Kept
  /** WARC-Date of an earlier record with the same body; empty if this visit stored the body. */
  readonly refersToDate: string
  /** Offset of the response record in the bytes of the pack; -1 if nothing was archived. */
  readonly warcOffset: number
  readonly warcLength: number
}
