/** What the ledger tells: of cells, lives, files, robots, and of the crawl as a whole. */
import type { CellId, Epoch, GroupId, Millis } from '../model/index.js'
import type { Incarnation, LaneWork, OutcomeCount } from './pack-rows.js'

export type FinishReason = 'done' | 'parked' | 'limit'

/** A cell that waits in S, in the order of the queue. */
export interface WaitingCell {
  readonly cell: CellId
  readonly group: GroupId
  readonly rank: number
  /** Estimates: objects (from this or the previous crawl) and rows that wait in its inbox. */
  readonly size: number
  readonly backlog: number
  /**
   * The incarnation that holds a turn this cell needs: nobody else can have it now. Null while no turn is
   * held.
   */
  readonly turnOf: Incarnation | null
  /** The group whose turn that is; its own while none is held. */
  readonly turn: GroupId
  /** The lane it was bound to, by an assignment that does so. */
  readonly boundTo: LaneName | null
}

/** A cell that takes the place of one that is split: its name says which paths it holds. */
export interface ChildCell {
  readonly cell: CellId
  /** URLs that wait in it to be fetched. */
  readonly queued: number
}

/** A lane of an agent, whichever of its lives. */
export interface LaneName {
  readonly agent: string
  /** From 1. */
  readonly lane: number
}

/** What is bound to one lane in all, crawled already or not. */
export interface LaneLoad extends LaneName {
  readonly cells: number
  /** Objects, by estimate; a cell of which nothing is known counts as one. */
  readonly size: number
}

/** Robots state of an origin, kept across hand-over and resume. */
export interface OriginState {
  readonly origin: string
  readonly checkedAt: Millis
  readonly failures: number
  /** What the origin answered; the body is parsed again on load. */
  readonly verdict: 'rules' | 'allow-all' | 'unavailable' | 'unreachable'
  readonly status: number
  readonly detail: string
  readonly body: Uint8Array
}

export interface RefusedOrigins {
  readonly total: number
  readonly first: readonly Omit<OriginState, 'verdict' | 'body'>[]
}

/** What is said of a page besides its meta-info, packed, and of which payload. */
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
  /** Digest of the first `bytes`; null where nothing is known of it. */
  readonly crc32: number | null
  readonly incarnation: Incarnation
  readonly closed: boolean
}

/**
 * Settings that do not travel with heartbeats: those whose name begins so. What a crawl is does not change,
 * and what coordinators leave to each other is read by nobody else.
 */
export const INTERNAL_SETTINGS = ['crawl.', 'seat.'] as const

/** Every agent asks every second: counting millions would be all that a ledger does. */
export const MOST_COUNTED = 1_000

export interface Heartbeat {
  /** Ledger time. */
  readonly now: Millis
  /** Cells still held, with the inbox counter of each: more than the agent has read means new rows. */
  readonly held: readonly { readonly cell: CellId; readonly epoch: Epoch; readonly appended: number }[]
  /** The number of the last lease granted to anybody: one with a higher number is not yet known here. */
  readonly grants: number
  /** Cells that wait: of many, only that there are as many as `MOST_COUNTED`. */
  readonly waiting: number
  /** Without `INTERNAL_SETTINGS`. */
  readonly settings: Readonly<Record<string, string>>
  readonly crawlOpen: boolean
  /**
   * False once this incarnation was ended, or began with another server than the one that writes now: it can
   * commit nothing any more.
   */
  readonly incarnationOpen: boolean
  /** This incarnation's part of what the crawl may use in all: rate, bandwidth, connections. */
  readonly share: number
}

export interface Totals {
  readonly open: boolean
  readonly finishReason: FinishReason | null
  readonly pages: number
  readonly bytes: number
  readonly discovered: number
  readonly settled: number
  readonly backlog: number
  readonly cells: Readonly<Record<CellState, number>>
  /** Sites that these cells are of. */
  readonly sites: number
  readonly outcomes: readonly OutcomeCount[]
  /** The latest life that was ever begun; 0 before the first. */
  readonly lastIncarnation: Incarnation
}

export interface LedgerHealth {
  /** Why something acknowledged could be lost with the machine that holds it; one line each, for people. */
  readonly weaknesses: readonly string[]
  /** The longest first. */
  readonly longTransactions: readonly LongTransaction[]
}

/** A transaction that stays open: nothing that was written after its beginning can be read from an inbox. */
export interface LongTransaction {
  /** User, program, address and number, as far as they are known. */
  readonly who: string
  readonly openMs: Millis
}

/** `resting`: waits, but not before its time. */
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

/** One incarnation of one agent, as it last spoke of itself. */
export interface AgentRow {
  readonly name: string
  readonly incarnation: Incarnation
  readonly open: boolean
  readonly heartbeatAt: Millis
  readonly status: string
  /** Sites it crawls at the same time, as it said when it joined; 0: it only coordinates. */
  readonly lanes: number
  /** Leases granted to it after the one that its last status calls `seen`. */
  readonly unseen: number
}

/** What all incarnations of one agent have done together. */
export interface AgentWork {
  readonly name: string
  readonly lives: number
  /** Acknowledged. */
  readonly pages: number
  readonly bytes: number
  readonly fetchMs: Millis
  /**
   * Requests sent. Of an incarnation that is over, as it last told: what it did after that is missing. Of one
   * that goes on, those whose end is acknowledged: what is under way has not been asked for in vain.
   */
  readonly fetches: number
  /**
   * Links that came from other agents, in how many messages, and in how many if a site sent all its links at
   * once.
   */
  readonly links: number
  readonly messages: number
  readonly coalescedMessages: number
  /** Of the lanes that did something, by number. */
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

/** A cell that was set aside until the crawl is resumed. */
export interface ParkedCell {
  readonly cell: CellId
  /** When it may be asked again. */
  readonly until: Millis
  readonly why: string
  /** URLs that wait in it. */
  readonly queued: number
}
