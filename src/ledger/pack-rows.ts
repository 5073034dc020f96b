/**
 * What a pack tells the ledger: the shares of its cells, links for other cells, files, and what its agent did
 * and heard.
 */
import type { CellId, Discovery, Epoch, GroupId, Millis, OutcomeCode } from '../model/index.js'

/** One incarnation of one agent. Files belong to it; a closed one can commit nothing any more. */
export type Incarnation = number

/** One row of a cell's inbox; `position` grows within a cell. */
export interface InboxRow extends Discovery {
  readonly position: number
  /** The agent on whose page the link stood; empty for a seed. */
  readonly sender: string
}

/** Links to one cell that a pack carries. */
export interface Append {
  readonly cell: CellId
  readonly group: GroupId
  readonly rows: readonly Discovery[]
}

export interface OutcomeCount {
  readonly code: OutcomeCode
  readonly count: number
  /** A recent example, for the summary: what the server or the network said. */
  readonly detail: string
}

/** One cell's share of a pack. */
export interface PackCell {
  readonly cell: CellId
  readonly epoch: Epoch
  /** The cell's last committed pack number + 1. */
  readonly number: number
  /** First-seen URLs, outcomes and attempts: what a rebuild replays. */
  readonly journal: Uint8Array
  /** Inbox rows consumed by this pack, and the position of the last. */
  readonly consumed: number
  readonly cursor: number
  /** URLs that joined and left the queue in this pack. */
  readonly discovered: number
  readonly settled: number
  readonly pages: number
  readonly bytes: number
  readonly fetchMs: Millis
  /** Times of the first and last request; 0 when none was sent. */
  readonly firstFetch: Millis
  readonly lastFetch: Millis
  readonly outcomes: readonly OutcomeCount[]
}

export interface PackFile {
  readonly name: string
  readonly kind: string
  /** Committed length once this pack is. */
  readonly bytes: number
  /** Digest of those bytes, see `files/file-digest.ts`; absent where nothing is known of it. */
  readonly crc32?: number | null
}

/** What a lane did: its number within its agent, from 1. */
export interface LaneWork {
  readonly lane: number
  readonly pages: number
  readonly fetchMs: Millis
}

/** What an agent read that other agents had sent it (D23). Fingerprints are 8 bytes each. */
export interface ReceivedMessages {
  readonly links: number
  /** Source pages that this agent hears of for the first time: each is a message. */
  readonly pages: Uint8Array
  /** The same of source sites: each is a coalesced message. */
  readonly sites: Uint8Array
}

export interface Pack {
  readonly id: string
  readonly incarnation: Incarnation
  readonly cells: readonly PackCell[]
  readonly appends: readonly Append[]
  readonly files: readonly PackFile[]
  /** Requests this incarnation has sent whose end is in this pack or in an earlier one. */
  readonly fetches: number
  readonly lanes: readonly LaneWork[]
  readonly received: ReceivedMessages
  /** Next allowed request of each group touched. */
  readonly waits: readonly { readonly group: GroupId; readonly nextAllowed: Millis }[]
}

/** Links of a pack that are committed ahead of it, because all of them are too much for one transaction. */
export interface LinkBatch {
  readonly incarnation: Incarnation
  /** The cells on whose pages the links stand. */
  readonly sources: readonly { readonly cell: CellId; readonly epoch: Epoch }[]
  readonly appends: readonly Append[]
}

export type CommitResult =
  | { readonly status: 'committed' }
  /** Nothing was committed; these cells belong to someone else now. */
  | { readonly status: 'stale'; readonly cells: readonly CellId[] }
  /** A target cell was split: nothing was committed; route again by its children. */
  | {
      readonly status: 'moved'
      readonly cells: readonly { readonly cell: CellId; readonly children: readonly CellId[] }[]
    }
  | { readonly status: 'refused'; readonly why: 'crawl-closed' | 'incarnation-closed' }
