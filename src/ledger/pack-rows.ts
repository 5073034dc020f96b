/** The content of a pack: its cells, links for other cells, files, and the work of its agent. */
import type { CellId, Discovery, Epoch, GroupId, Millis, OutcomeCode } from '../model/index.js'

/** One run of an agent or coordinator. Files belong to it; once closed, it can commit nothing. */
export type Incarnation = number

/** One row of a cell's inbox; `position` grows within a cell. */
export interface InboxRow extends Discovery {
  readonly position: number
  /** The agent that sent the link; empty for a seed. */
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
  /** A recent message of the server or the network, as an example for the summary. */
  readonly detail: string
}

/** The part of a pack that belongs to one cell. */
export interface PackCell {
  readonly cell: CellId
  readonly epoch: Epoch
  /** The cell's last committed pack number + 1. */
  readonly number: number
  /** First-seen URLs, outcomes and attempts, for a rebuild to replay. */
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
  /** The committed length of the file after this pack is committed. */
  readonly bytes: number
  /** Digest of those bytes (`files/file-digest.ts`), if known. */
  readonly crc32?: number | null
}

/** Work of a lane; lanes of an agent are numbered from 1. */
export interface LaneWork {
  readonly lane: number
  readonly pages: number
  readonly fetchMs: Millis
}

/** Messages from other agents that an agent has read (D23). Fingerprints are 8 bytes each. */
export interface ReceivedMessages {
  readonly links: number
  /** Fingerprints of source pages that sent links to this agent for the first time: each is a message. */
  readonly pages: Uint8Array
  /**
   * Fingerprints of source sites that sent links to this agent for the first time: each is a coalesced
   * message.
   */
  readonly sites: Uint8Array
}

export interface Pack {
  readonly id: string
  readonly incarnation: Incarnation
  readonly cells: readonly PackCell[]
  readonly appends: readonly Append[]
  readonly files: readonly PackFile[]
  /** Requests of this incarnation whose outcome is in this pack or an earlier one. */
  readonly fetches: number
  readonly lanes: readonly LaneWork[]
  readonly received: ReceivedMessages
  /** Next allowed request of each group touched. */
  readonly waits: readonly { readonly group: GroupId; readonly nextAllowed: Millis }[]
}

/** Links committed before their pack, because all of them are too many for one transaction. */
export interface LinkBatch {
  readonly incarnation: Incarnation
  /** The cells on whose pages the links stand. */
  readonly sources: readonly { readonly cell: CellId; readonly epoch: Epoch }[]
  readonly appends: readonly Append[]
}

export type CommitResult =
  | { readonly status: 'committed' }
  /** Nothing was committed: the leases of these cells are gone. */
  | { readonly status: 'stale'; readonly cells: readonly CellId[] }
  /** A target cell was split: nothing was committed; route again by its children. */
  | {
      readonly status: 'moved'
      readonly cells: readonly { readonly cell: CellId; readonly children: readonly CellId[] }[]
    }
  | { readonly status: 'refused'; readonly why: 'crawl-closed' | 'incarnation-closed' }
