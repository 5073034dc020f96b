/**
 * Rebuilds a cell's frontier from its journal: seen are all discoveries, queued are those without an outcome,
 * in order. The journal is read twice, outcomes first, to know what is still queued. All sets spill to disk,
 * so memory is bounded. Decisions are replayed, not made again. A cell split off another also reads that
 * cell's journal, and takes its `part` of it. URLs keep the escapes of the journal, because outcomes refer to
 * that spelling; their normal form becomes known too.
 */

import { fingerprint, takeFingerprint } from '../../model/bytes/index.js'
import {
  type CellPart,
  type Discovery,
  isPage,
  type Millis,
  type OutcomeCode,
  outcomeRule,
  type TrapName,
} from '../../model/index.js'
import { normaliseEscapes } from '../../model/url/index.js'
import type { CellFrontier } from './cell-frontier.js'
import type { FrontierSpace } from './frontier-space.js'
import { type JournalReader, readJournal } from './journal-codec.js'
import { DepthSet, SeenSet } from './seen/index.js'

/** The journal blobs of the cell's committed packs, in order; called once per pass. */
export type JournalBlobs = () => AsyncIterable<Uint8Array> | Iterable<Uint8Array>

/** Receives the decisions in their original order, from which trap rules judge the next URL. */
export interface Decisions {
  replay(discovery: Discovery, refusedBy: TrapName | null): void
  countPage(): void
  /** A counted page is lost, and will be fetched again. */
  discountPage?(): void
  /** A URL was requested: whether that was a failure of the site, and whether the site surely answered. */
  tried?(failed: boolean, answered: boolean): void
}

export async function rebuildCell(
  blobs: JournalBlobs,
  frontier: CellFrontier,
  space: FrontierSpace,
  decisions: Decisions,
  part: CellPart | null = null,
): Promise<void> {
  const closed: Closed = Number.isFinite(frontier.maxDepth)
    ? new ClosedRows(space, frontier.maxDepth)
    : new SeenSet(space.seen)
  const retries = new OpenRetries()
  const firstPass: JournalReader = {
    settled(low, high, code, depth) {
      if (code === 'URL_TOO_LONG') {
        frontier.restoreTurnedAway(low, high)
        return
      }
      closed.add(low, high, code, depth)
      retries.delete(low, high)
      if (code !== 'TOO_DEEP') frontier.restoreVisit(low, high)
      if (isPage(code)) decisions.countPage()
      if (isRefusal(code)) frontier.restoreRefusal(low, high)
      const { kind, strain } = outcomeRule(code)
      const answered = kind === 'stored'
      if (strain !== 'none') decisions.tried?.(true, answered)
      else if (answered) decisions.tried?.(false, answered)
    },
    retried(low, high, attempt, notBefore) {
      retries.set(low, high, attempt, notBefore)
      decisions.tried?.(true, false)
    },
    reopened(low, high, code) {
      retries.reopen(low, high)
      if (isPage(code)) decisions.discountPage?.()
    },
    ...(closed.discovered === undefined ? {} : { discovered: discovery => closed.discovered?.(discovery) }),
  }
  for await (const blob of blobs()) readJournal(blob, firstPass)
  const replay = new Replay(decisions)
  let hasSpellings = false
  const secondPass: JournalReader = {
    discovered(discovery) {
      if (part !== null && !part(discovery.url)) return
      hasSpellings ||= normaliseEscapes(discovery.url) !== discovery.url
      takeFingerprint(discovery.url)
      const { low, high } = fingerprint
      replay.discovered(discovery, low, high)
      const isClosed = closed.has(low, high, discovery.depth)
      if (retries.holds(low, high, discovery, isClosed) || isClosed) {
        frontier.restoreKnown(discovery)
      } else frontier.offer(discovery)
    },
    settled: (low, high, code) => replay.settled(low, high, code),
  }
  for await (const blob of blobs()) {
    readJournal(blob, secondPass)
    replay.flush()
  }
  if (hasSpellings) await restoreSpellings(blobs, frontier, part)
  for (const { row, attempt, notBefore, isReopened } of retries.held()) {
    if (isReopened) frontier.restoreReopened(row, attempt, notBefore)
    else frontier.restoreRetry(row, attempt, notBefore)
  }
  closed.close()
}

/**
 * A journal may contain a URL in another spelling, such as `/%66oo` for `/foo`. Links are in normal form and
 * must find the page under either. This is a separate pass, because a normal form that waits itself must join
 * the queue before it is marked as known.
 */
async function restoreSpellings(
  blobs: JournalBlobs,
  frontier: CellFrontier,
  part: CellPart | null,
): Promise<void> {
  const reader: JournalReader = {
    discovered(discovery) {
      if (part !== null && !part(discovery.url)) return
      const url = normaliseEscapes(discovery.url)
      if (url !== discovery.url) frontier.restoreKnown({ ...discovery, url })
    },
  }
  for await (const blob of blobs()) readJournal(blob, reader)
}

/** The name of SITE_PAGE_LIMIT in journals of 0.1.0. */
const OLD_PAGE_LIMIT = 'TRAP:site-budget'

/** Refused when it was new; the page limit of a site refuses queued URLs instead. */
function isRefusal(code: OutcomeCode): boolean {
  return code.startsWith('TRAP:') && code !== (OLD_PAGE_LIMIT as OutcomeCode)
}

/** The outcome of a URL that a trap rule refused directly follows its discovery. */
class Replay {
  readonly #decisions: Decisions
  #last: Discovery | null = null
  #low = 0
  #high = 0

  constructor(decisions: Decisions) {
    this.#decisions = decisions
  }

  discovered(discovery: Discovery, low: number, high: number): void {
    this.flush()
    this.#last = discovery
    this.#low = low
    this.#high = high
  }

  settled(low: number, high: number, code: OutcomeCode): void {
    if (this.#last === null || low !== this.#low || high !== this.#high) return
    this.flush(isRefusal(code) ? (code.slice('TRAP:'.length) as TrapName) : null)
  }

  flush(refusedBy: TrapName | null = null): void {
    if (this.#last !== null) this.#decisions.replay(this.#last, refusedBy)
    this.#last = null
  }
}

/** Rows with an outcome. */
interface Closed {
  /** Receives every discovery in its order among the outcomes, if that matters. */
  discovered?(discovery: Discovery): void
  add(low: number, high: number, code: OutcomeCode, depth: number | undefined): void
  has(low: number, high: number, depth: number): boolean
  close(): void
}

/** With `--max-depth`: an outcome closes the rows at its depth and above. */
class ClosedRows implements Closed {
  readonly #closed: SeenSet
  readonly #reached: SeenSet
  readonly #closedAt: DepthSet
  readonly #reachedAt: DepthSet
  readonly #maxDepth: number

  constructor(space: FrontierSpace, maxDepth: number) {
    this.#closed = new SeenSet(space.seen)
    this.#reached = new SeenSet(space.seen)
    this.#closedAt = new DepthSet(this.#closed, maxDepth)
    this.#reachedAt = new DepthSet(this.#reached, maxDepth)
    this.#maxDepth = maxDepth
  }

  discovered({ url, depth }: Discovery): void {
    takeFingerprint(url)
    this.#reachedAt.add(fingerprint.low, fingerprint.high, depth)
  }

  /** An outcome without a depth closes the rows before it. */
  add(low: number, high: number, code: OutcomeCode, depth: number | undefined): void {
    const unsaid = code === 'TOO_DEEP' ? this.#maxDepth + 1 : this.#reachedAt.nearest(low, high)
    this.#closedAt.add(low, high, depth ?? unsaid)
  }

  has(low: number, high: number, depth: number): boolean {
    return this.#closedAt.reached(low, high, depth)
  }

  close(): void {
    this.#closed.close()
    this.#reached.close()
  }
}

interface OpenRetry {
  readonly attempt: number
  readonly notBefore: Millis
  /** Its outcome was revoked: earlier outcomes do not close it. */
  readonly isReopened: boolean
  row: Discovery | null
}

/**
 * Waiting URLs whose last attempt failed, or whose copy was lost. They are few, so strings will do as keys.
 */
class OpenRetries {
  readonly #byUrl = new Map<string, OpenRetry>()

  set(low: number, high: number, attempt: number, notBefore: Millis): void {
    const isReopened = this.#byUrl.get(`${low} ${high}`)?.isReopened ?? false
    this.delete(low, high)
    this.#byUrl.set(`${low} ${high}`, { attempt, notBefore, isReopened, row: null })
  }

  reopen(low: number, high: number): void {
    this.delete(low, high)
    this.#byUrl.set(`${low} ${high}`, { attempt: 1, notBefore: 0, isReopened: true, row: null })
  }

  delete(low: number, high: number): void {
    if (this.#byUrl.size > 0) this.#byUrl.delete(`${low} ${high}`)
  }

  /** True if the URL waits here; it continues from its last open row, which has the smallest depth. */
  holds(low: number, high: number, row: Discovery, isClosed: boolean): boolean {
    if (this.#byUrl.size === 0) return false
    const retry = this.#byUrl.get(`${low} ${high}`)
    if (retry === undefined || (isClosed && !retry.isReopened)) return false
    retry.row = row
    return true
  }

  /** In the order of the failures. */
  *held(): Iterable<OpenRetry & { readonly row: Discovery }> {
    for (const { row, attempt, notBefore, isReopened } of this.#byUrl.values()) {
      if (row !== null) yield { row, attempt, notBefore, isReopened }
    }
  }
}
