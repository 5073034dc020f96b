/**
 * Port: the ledger, the only durable truth of a crawl. Agents, coordinator and files are replaceable; what is not
 * in here has not happened. The rules it keeps are in `docs/architecture.md`; each method names the one it serves.
 */
import type { CellId, Discovery, Epoch, GroupId, Lease } from '../model/cell.js'
import type { Millis } from '../model/clock.js'
import type { OutcomeCode } from '../model/outcome.js'
import type { MetaInfo } from '../model/page.js'
import type { Site } from '../model/url.js'

/** One life of one agent. Files belong to it; a closed one can commit nothing any more. */
export type Incarnation = number

export type FinishReason = 'done' | 'parked' | 'limit'

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
}

/** What a lane did: its number within its agent, from 1. */
export interface LaneWork {
  readonly lane: number
  readonly pages: number
  readonly fetchMs: Millis
}

/** What an agent read that other agents had sent it (D23). Fingerprints are 8 bytes each. */
export interface Heard {
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
  /** Requests this life has sent so far. */
  readonly fetches: number
  readonly lanes: readonly LaneWork[]
  readonly heard: Heard
  /** Next allowed request of each group touched. */
  readonly waits: readonly { readonly group: GroupId; readonly nextAllowed: Millis }[]
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

/** A cell that waits in S, in the order of S. */
export interface WaitingCell {
  readonly cell: CellId
  readonly group: GroupId
  readonly rank: number
  /** Estimates: objects (from this or the previous crawl) and rows that wait in its inbox. */
  readonly size: number
  readonly backlog: number
  /** The life that holds a turn this cell needs: nobody else can have it now. Null while no turn is held. */
  readonly turnOf: Incarnation | null
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
  readonly incarnation: Incarnation
  readonly closed: boolean
}

export interface Heartbeat {
  /** Ledger time. */
  readonly now: Millis
  /** Cells still held, with the inbox counter of each: more than the agent has read means new rows. */
  readonly held: readonly { readonly cell: CellId; readonly epoch: Epoch; readonly appended: number }[]
  readonly waiting: number
  readonly settings: Readonly<Record<string, string>>
  readonly crawlOpen: boolean
  /** False once this life was ended: it can commit nothing any more. */
  readonly lifeOpen: boolean
  /** This life's part of what the crawl may use in all: rate, bandwidth, connections. */
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
  readonly outcomes: readonly OutcomeCount[]
}

/** `resting`: waits, but not before its time. */
export type CellState = 'waiting' | 'resting' | 'leased' | 'draining' | 'finished' | 'parked' | 'closed'

/** One life of one agent, as it last spoke of itself. */
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

/** What all lives of one agent have done together. */
export interface AgentWork {
  readonly name: string
  readonly lives: number
  /** Acknowledged. */
  readonly pages: number
  readonly bytes: number
  readonly fetchMs: Millis
  /** Requests sent, as its lives last told: what one that was killed did after that is missing. */
  readonly fetches: number
  /** Links that came from other agents, in how many messages, and in how many if a site sent all its links at once. */
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

export interface Ledger {
  /**
   * Starts a life of an agent that crawls `lanes` sites at a time (1). With 0 it only coordinates, and has no share of
   * the crawl's limits. A second agent with the same name does not end the first.
   */
  join(agent: string, lanes?: number): Promise<Incarnation>
  /** Ends a life: returns its page budget, ends its leases (its cells go to the HEAD of S, D16). */
  leave(incarnation: Incarnation): Promise<void>
  /** Ends every life but none of the data: `resume` under the directory lock. */
  endAllLeases(): Promise<void>
  /** Ends the lives that were not heard from for so long, unless the ledger itself was away; tells which. */
  closeSilent(silentMs: Millis): Promise<readonly Incarnation[]>
  /**
   * The coordinator's seat: taken when it is free or its holder has fallen silent for a lease, renewed by its holder.
   * Null while another life has it; its epoch rises with every new holder.
   */
  takeSeat(incarnation: Incarnation, leaseMs: Millis): Promise<Epoch | null>
  /** Renews all leases of a life, and brings what changed. `status` is JSON; `fetches` in it is what a pack calls so. */
  heartbeat(incarnation: Incarnation, leaseMs: Millis, status: string): Promise<Heartbeat>

  /** Head of S; with `able`, without the cells whose group's turn is held by a life that is not among them. */
  waiting(limit: number, able?: readonly Incarnation[]): Promise<readonly WaitingCell[]>
  /**
   * Leases those of `cells` that still wait or whose lease has ended, each with a new epoch and with the turn of its
   * group; a cell whose turn another life holds is not leased. `delayMs` is the least pause between two requests.
   */
  grant(
    incarnation: Incarnation,
    cells: readonly CellId[],
    leaseMs: Millis,
    delayMs: Millis,
    lane?: number,
  ): Promise<readonly Lease[]>
  /** The leases of a life that were granted after the one numbered `after`, in the order they were granted. */
  leases(incarnation: Incarnation, after: number): Promise<readonly Lease[]>
  /** What is known of the sizes of cells, in objects (D12). */
  estimate(sizes: readonly { readonly cell: CellId; readonly size: number }[]): Promise<void>
  /** Orders S by size, the largest first (D3, D14); what is found later joins at the tail. */
  rankBySize(): Promise<void>
  /** Gives a cell back to S: `head` when it was lost, `tail` when its slice is over. */
  release(cell: CellId, epoch: Epoch, where: 'head' | 'tail'): Promise<boolean>
  /** True when the cell is finished; false when rows came meanwhile (or the lease is gone). */
  finish(cell: CellId, epoch: Epoch): Promise<boolean>
  /** Sets a cell aside until the crawl is resumed; `why` is for people. */
  park(cell: CellId, epoch: Epoch, until: Millis, why: string): Promise<boolean>
  /** Cells that wait are not seen in S before their time; others stay as they are. */
  defer(cells: readonly { readonly cell: CellId; readonly until: Millis }[]): Promise<void>
  /** Gives a cell back to S, where it is not seen before `until`. */
  rest(cell: CellId, epoch: Epoch, until: Millis): Promise<boolean>

  /** Seeds and recrawl; links of pages travel in packs. Refused (false) when the crawl is closed. */
  append(appends: readonly Append[]): Promise<boolean>
  readInbox(cell: CellId, after: number, limit: number): Promise<readonly InboxRow[]>
  /** Committed journal of a cell from pack number `from` on, in order, at most about `maxBytes`. */
  readJournal(
    cell: CellId,
    from: number,
    maxBytes: number,
  ): Promise<readonly { number: number; journal: Uint8Array }[]>
  /** The same of all cells, in the order of cells, behind the given place. */
  readJournals(
    after: { readonly cell: CellId; readonly number: number },
    maxBytes: number,
  ): Promise<readonly { cell: CellId; number: number; journal: Uint8Array }[]>
  /** What the lives of an agent have heard, part by part behind number `after`: so that nothing is counted twice. */
  readHeard(
    agent: string,
    after: number,
    limit: number,
  ): Promise<readonly { number: number; pages: Uint8Array; sites: Uint8Array }[]>
  /** Idempotent by id: the same pack may be sent again until the answer is known. */
  commit(pack: Pack): Promise<CommitResult>

  /**
   * The turn of a group, or null while another life holds it. The turn of a cell's own group comes with its lease and
   * goes with the last lease; those of its addresses are taken and released by name.
   */
  takeTurn(
    incarnation: Incarnation,
    group: GroupId,
    leaseMs: Millis,
    delayMs: Millis,
  ): Promise<{ epoch: Epoch; nextAllowed: Millis } | null>
  releaseTurn(incarnation: Incarnation, group: GroupId, nextAllowed: Millis): Promise<void>
  /** A wait or a pause longer than the ledger knows, written before the next request. Never shortens a wait. */
  saveWait(group: GroupId, nextAllowed: Millis, delayMs: Millis): Promise<void>
  /** Notes where a site is served, and tells which of the addresses serve at most `mostSites`: those are groups. */
  joinAddresses(site: Site, addresses: readonly string[], mostSites: number): Promise<readonly string[]>

  loadOrigins(cell: CellId): Promise<readonly OriginState[]>
  saveOrigin(cell: CellId, state: OriginState): Promise<void>
  /** Origins that are not crawled because their robots.txt could not be read: the first by name, and how many. */
  refusedOrigins(limit: number): Promise<RefusedOrigins>

  /** Meta-info of the previous crawl (D6). */
  saveMeta(
    rows: readonly { readonly cell: CellId; readonly url: string; readonly meta: MetaInfo }[],
  ): Promise<void>
  /** Goes with the meta-info of the same payload, and nowhere else. */
  saveFacts(rows: readonly MetaFacts[]): Promise<void>
  loadMeta(cell: CellId, urls: readonly string[]): Promise<ReadonlyMap<string, MetaInfo>>

  /**
   * Reserves up to `want` pages of `--max-pages` besides the `held` that this life still needs: those not yet asked for,
   * being fetched, or not committed. What it had reserved beyond `held` is free again. 0 when none is free now.
   */
  takeBudget(
    incarnation: Incarnation,
    held: number,
    want: number,
  ): Promise<{ readonly granted: number; readonly outstanding: number }>

  settings(): Promise<Readonly<Record<string, string>>>
  set(values: Readonly<Record<string, string>>): Promise<void>

  /** Files of all lives with their committed lengths. */
  files(): Promise<readonly FileRow[]>
  /**
   * Replaces files by what was made of them, in one step; false when one of `inputs` is no longer listed, or when
   * `seat` is no longer the epoch of the coordinator's. The same swap sent again is true again.
   */
  swapFiles(inputs: readonly string[], outputs: readonly PackFile[], seat?: Epoch): Promise<boolean>

  /** The latched end: closes the crawl when nothing is leased or drains and nothing waits (or the limit is reached). */
  tryEnd(): Promise<FinishReason | null>
  /** Opens a closed crawl again; parked cells wait again. */
  reopen(): Promise<void>
  totals(): Promise<Totals>
  /** The first of the cells that were set aside. */
  parked(limit: number): Promise<readonly ParkedCell[]>
  /** Lives that are open, the latest last. */
  agents(): Promise<readonly AgentRow[]>
  /** Of the whole crawl, all runs together, by name. */
  agentWork(): Promise<readonly AgentWork[]>
  sites(after: CellId, limit: number): Promise<readonly SiteSummary[]>
  close(): Promise<void>
}

/** What can be wrong with a ledger as a whole; `message` is one line for the user. */
export class LedgerError extends Error {
  /** `away`: no answer came; the call may have been carried out or not. */
  readonly kind: 'corrupt' | 'newer' | 'missing' | 'read-only' | 'full' | 'busy' | 'away'

  constructor(kind: LedgerError['kind'], message: string) {
    super(message)
    this.name = 'LedgerError'
    this.kind = kind
  }
}
