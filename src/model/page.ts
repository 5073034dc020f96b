/** What the steps hand to each other: an exchange (fetch), a parsed page (parse), a page row (store). */
import type { Millis } from './clock.js'
import type { OutcomeCode } from './outcome.js'

/** Meta-info of a URL from the previous crawl (D6): lets the fetcher ask "only if changed". */
export interface MetaInfo {
  readonly etag: string
  readonly lastModified: string
  /** Payload digest as in the WARC, `sha1:BASE32`. */
  readonly digest: string
  /**
   * WARC-Date of the record that holds the body, for `WARC-Refers-To-Date`; empty where no archive has it.
   */
  readonly storedAt: string
  /** Rows of the `links` table that stood on the page, each `target kind`; copied on a 304. */
  readonly links: readonly string[]
  /**
   * The rest of its row, packed (`data/store/tables/page-facts.ts`); where there is a validator, so that a
   * 304 may come.
   */
  readonly facts?: Uint8Array
}

/** Why a body is shorter than the server meant it to be: the values of `WARC-Truncated`. */
export type Truncation = 'length' | 'time' | 'disconnect' | 'unspecified'

/** One HTTP request and its response, as the archive needs it. Bytes are as they crossed the wire. */
export interface Exchange {
  readonly url: string
  /** Wall time when the request was sent. */
  readonly startedAt: Millis
  /** From sending the request to the last byte. */
  readonly fetchMs: Millis
  /** TCP (and TLS) set-up time; 0 on a reused connection. */
  readonly connectMs: Millis
  readonly remoteAddress: string
  /** Request line and headers as sent, with the empty line. */
  readonly requestHead: Buffer
  readonly status: number
  /** Status line and headers as received, with the empty line. */
  readonly responseHead: Buffer
  /** Everything after the head as received: still chunked and compressed where the server did so. */
  readonly rawBody: Buffer
  /**
   * `rawBody` without its chunked framing: the payload of the WARC record. Same buffer where there was none.
   */
  readonly payload: Buffer
  /** `payload` with its Content-Encoding undone, bounded. Same buffer where there was none. */
  readonly body: Buffer
  readonly truncated?: Truncation
  /** First value of a response header by lower-case name. */
  header(name: string): string | undefined
  /** All values of a response header by lower-case name, in order. */
  headerValues?(name: string): readonly string[]
  /** The page is stored: its bodies no longer count as in flight. For a request that `holdsBody`. */
  settled?(): void
  /** Nobody looks at the bodies any more: their memory may serve the next response. Need not be called. */
  release?(): void
}

/**
 * `LinkKind` bits: one href can be several things only in different links, so exactly one of the first six is
 * set.
 */
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

/** URLs the crawl need not hear of again, by fingerprint: most links of a page lead to what is known. */
export interface KnownLinks {
  /** `isOwn`: it leads to the page's own origin. */
  has(low: number, high: number, isOwn: boolean): boolean
}

export interface ParsedPage {
  readonly charset: string
  /** Type by looking at the bytes; `content_mime_detected`. */
  readonly mime: string
  /** Resolved, normalised, in document order; duplicates of one page are kept out. */
  readonly links: readonly string[]
  /** `LinkKind` bits of each link. */
  readonly kinds: Uint8Array
  /** Further links that were known already, and so are not in `links`. */
  readonly knownLinks: number
  /** Anchor text of each link is not kept: forty strings a page cost more than fetching it. */
  readonly title: string
  readonly description: string
  readonly canonical: string
  readonly language: string
  /** Content of meta robots (all that apply to us, comma-joined), lower case. */
  readonly robots: string
  /**
   * Main text as UTF-8, paragraphs separated by newlines; empty when not wanted. Valid until the next page is
   * parsed.
   */
  readonly text: Buffer
}

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
  /** WARC-Date of the record that holds the body, where this visit brought no other; empty otherwise. */
  readonly refersToDate: string
  /** Offset of the response record inside the pack's bytes; -1 where nothing was archived. */
  readonly warcOffset: number
  readonly warcLength: number
}
