/** Rows that the ledger returns: cells, agents, files, robots state, and the crawl as a whole. */
import type { CellId, Epoch, GroupId, Millis } from '../model/index.js'
import type { Incarnation, LaneWork, OutcomeCount } from './pack-rows.js'

export type FinishReason = 'done' | 'parked' | 'limit'

/** A waiting cell, in the order of the queue. */
export interface WaitingCell {
  readonly cell: CellId
  readonly group: GroupId
  readonly rank: number
  /** Estimated objects, from this or the previous crawl. */
  readonly size: number
  /** Unread rows of its inbox. */
  readonly backlog: number
  /** The holder of a turn that this cell needs: no other incarnation can lease the cell now. */
  readonly turnOf: Incarnation | null
  /** The group whose turn is held; the cell's own group while none is. */
  readonly turn: GroupId
  /** Set by assignments that bind cells to lanes. */
  readonly boundTo: LaneName | null
}

/** A cell that a split puts in the place of another; its name contains its range of paths. */
export interface ChildCell {
  readonly cell: CellId
  /** URLs that wait to be fetched. */
  readonly queued: number
}

/** A lane of an agent, in any of its incarnations. */
export interface LaneName {
  readonly agent: string
  /** From 1. */
  readonly lane: number
}

/** All cells bound to one lane, crawled or not. */
export interface LaneLoad extends LaneName {
  readonly cells: number
  /** Estimated objects; a cell without an estimate counts as one. */
  readonly size: number
}

/** Robots state of an origin; it outlives hand-over and resume. */
export interface OriginState {
  readonly origin: string
  readonly checkedAt: Millis
  readonly failures: number
  /** The decision drawn from the answer; `body` is parsed again on load. */
  readonly verdict: 'rules' | 'allow-all' | 'unavailable' | 'unreachable'
  readonly status: number
  readonly detail: string
  readonly body: Uint8Array
}

export interface RefusedOrigins {
  readonly total: number
  readonly first: readonly Omit<OriginState, 'verdict' | 'body'>[]
}

/** The rest of a page's table row, packed, and the digest of the payload that it describes. */
export interface MetaFacts {
  readonly cell: CellId
  readonly url: string
  readonly digest: string
  readonly facts: Uint8Array
}

export interface FileRow {
  readonly name: string
  readonly kind: string
  readonly bytes: number
  /** Digest of the first `bytes`; null if unknown. */
  readonly crc32: number | null
  readonly incarnation: Incarnation
  readonly closed: boolean
}

/**
 * Prefixes of settings that heartbeats leave out: the configuration of a crawl never changes, and only
 * coordinators read what a coordinator stores for its successor.
 */
export const INTERNAL_SETTINGS = ['crawl.', 'seat.'] as const

/** Every agent asks every second: counting millions of cells would take all of the ledger's time. */
export const MOST_COUNTED = 1_000

export interface Heartbeat {
  /** Ledger time. */
  readonly now: Millis
  /** Cells still held; `appended` is above the rows that the agent has read when there are new rows. */
  readonly held: readonly { readonly cell: CellId; readonly epoch: Epoch; readonly appended: number }[]
  /** The number of the last lease granted to any incarnation. */
  readonly grants: number
  /** Waiting cells, counted up to `MOST_COUNTED`. */
  readonly waiting: number
  /** Without `INTERNAL_SETTINGS`. */
  readonly settings: Readonly<Record<string, string>>
  readonly crawlOpen: boolean
  /** False once this incarnation has ended, or if it began before a failover: it can commit nothing more. */
  readonly incarnationOpen: boolean
  /** This incarnation's share of the crawl's rate, bandwidth and connections. */
  readonly share: number
}

export interface CrawlState {
  readonly open: boolean
  readonly finishReason: FinishReason | null
  /** The latest incarnation ever started; 0 before the first. */
  readonly lastIncarnation: Incarnation
}

/** Counted over all cells, so the call takes longer the more sites are known. */
export interface Totals extends CrawlState {
  readonly pages: number
  readonly bytes: number
  readonly discovered: number
  readonly settled: number
  readonly backlog: number
  readonly cells: Readonly<Record<CellState, number>>
  /** Different sites of the cells. */
  readonly sites: number
  readonly outcomes: readonly OutcomeCount[]
}

export interface LedgerHealth {
  /** Why acknowledged data could be lost with the machine that holds it; one line each, for people. */
  readonly weaknesses: readonly string[]
  /** The longest first. */
  readonly longTransactions: readonly LongTransaction[]
}

/** An open transaction: rows written to inboxes after its start cannot be read yet. */
export interface LongTransaction {
  /** User, program, address and process number, as far as they are known. */
  readonly who: string
  readonly openMs: Millis
}

/** `resting`: waits until a time. */
export const CELL_STATES = [
  'waiting',
  'resting',
  'leased',
  'draining',
  'finished',
  'parked',
  'closed',
] as const
export type CellState = (typeof CELL_STATES)[number]

/** An incarnation of an agent, as of its last heartbeat. */
export interface AgentRow {
  readonly name: string
  readonly incarnation: Incarnation
  readonly open: boolean
  readonly heartbeatAt: Millis
  readonly status: string
  /** Sites it crawls at the same time; 0: it only coordinates. */
  readonly lanes: number
  /** Leases granted to it after the one named `seen` in its last status. */
  readonly unseen: number
}

/** Work of all incarnations of one agent. */
export interface AgentWork {
  readonly name: string
  readonly incarnations: number
  /** Acknowledged. */
  readonly pages: number
  readonly bytes: number
  readonly fetchMs: Millis
  /**
   * Requests sent. For a closed incarnation as of its last heartbeat; for an open one those whose outcome is
   * acknowledged, because requests in flight may still bring pages.
   */
  readonly fetches: number
  /** Links received from other agents. */
  readonly links: number
  readonly messages: number
  /** The number of messages if each site sent all its links at once. */
  readonly coalescedMessages: number
  /** Lanes with any work, by number. */
  readonly lanes: readonly LaneWork[]
}

export interface SiteSummary {
  readonly cell: CellId
  readonly state: CellState
  readonly pages: number
  readonly bytes: number
  readonly fetchMs: Millis
  readonly firstFetch: Millis
  readonly lastFetch: Millis
  readonly discovered: number
  readonly settled: number
  readonly outcomes: readonly OutcomeCount[]
}

/** A cell set aside until the crawl is resumed. */
export interface ParkedCell {
  readonly cell: CellId
  /** When its site may be requested again. */
  readonly until: Millis
  readonly why: string
  /** URLs that wait in the cell. */
  readonly queued: number
}
