/**
 * Port: the ledger, the only durable state of a crawl, by role. Agents, coordinator and files are
 * replaceable; what is not in the ledger has not happened. `docs/explanation/rules.md` has the rules
 * that it keeps.
 */
import type { CellId, Epoch, GroupId, Lease, MetaInfo, Millis } from '../model/index.js'
import type { Site } from '../model/url/index.js'
import type {
  AgentRow,
  AgentWork,
  ChildCell,
  CrawlState,
  FileRow,
  FinishReason,
  Heartbeat,
  LaneLoad,
  LaneName,
  LedgerHealth,
  MetaFacts,
  OriginState,
  ParkedCell,
  RefusedOrigins,
  SiteSummary,
  Totals,
  WaitingCell,
} from './ledger-rows.js'
import type { Append, CommitResult, InboxRow, Incarnation, LinkBatch, Pack, PackFile } from './pack-rows.js'

/** Incarnations of agents, and the coordinator's seat. */
interface Incarnations {
  /**
   * Starts an incarnation of an agent that crawls `lanes` sites at a time (default: 1). With 0 lanes it only
   * coordinates and has no share in the limits of the crawl. Another agent of the same name is not ended.
   */
  join(agent: string, lanes?: number): Promise<Incarnation>
  /** Ends an incarnation: its page budget is free again, its cells go to the head of the queue (D16). */
  leave(incarnation: Incarnation): Promise<void>
  /** Ends every incarnation but keeps the data: for `resume` under the directory lock. */
  endAllLeases(): Promise<void>
  /** Ends the incarnations without a heartbeat for `silentMs`, unless the ledger itself was away. */
  closeSilent(silentMs: Millis): Promise<readonly Incarnation[]>
  /**
   * The coordinator's seat: taken when it is free or its holder has been silent for a lease, renewed by its
   * holder. Null while another incarnation has it; its epoch rises with every new holder.
   */
  takeSeat(incarnation: Incarnation, leaseMs: Millis): Promise<Epoch | null>
  /** Renews all leases of an incarnation. `status` is JSON; its `fetches` counts all requests sent. */
  heartbeat(incarnation: Incarnation, leaseMs: Millis, status: string): Promise<Heartbeat>
  /**
   * Reserves up to `want` pages of `--max-pages` besides the `held` that this incarnation still needs: not
   * yet requested, being fetched, or not committed. What it had reserved beyond `held` is free again. Grants
   * 0 when none is free now.
   */
  takeBudget(
    incarnation: Incarnation,
    held: number,
    want: number,
  ): Promise<{ readonly granted: number; readonly outstanding: number }>
  /** Open incarnations, the latest last. */
  agents(): Promise<readonly AgentRow[]>
}

/** The queue of cells and their leases. */
interface Leases {
  /**
   * The next waiting cells in queue order. With `eligible`, skips cells whose group's turn is held by another
   * incarnation.
   */
  waiting(limit: number, eligible?: readonly Incarnation[]): Promise<readonly WaitingCell[]>
  /** How many cells wait, counted up to `limit`. */
  countWaiting(limit: number): Promise<number>
  /**
   * Leases those of `cells` that still wait, each with a new epoch and with the turn of its group; a cell
   * whose turn another incarnation holds is not leased. `delayMs` is the least pause between two requests.
   */
  grant(
    incarnation: Incarnation,
    cells: readonly CellId[],
    leaseMs: Millis,
    delayMs: Millis,
    lane?: number,
  ): Promise<readonly Lease[]>
  /** The leases of an incarnation that were granted after the one numbered `after`, in order. */
  leases(incarnation: Incarnation, after: number): Promise<readonly Lease[]>
  /** Binds cells to lanes until they are bound anew: the plan of an assignment outlives its coordinator. */
  bind(cells: readonly (LaneName & { readonly cell: CellId })[]): Promise<void>
  laneLoads(): Promise<readonly LaneLoad[]>
  /** Estimated sizes of cells, in objects (D12). */
  estimate(sizes: readonly { readonly cell: CellId; readonly size: number }[]): Promise<void>
  /** Orders the queue by size, the largest first (D3, D14); cells found later join at the tail. */
  rankBySize(): Promise<void>
  /** Returns a cell to the queue: to the head when its agent failed, to the tail when its slice is over. */
  release(cell: CellId, epoch: Epoch, where: 'head' | 'tail'): Promise<boolean>
  /** False when rows have come to its inbox, or the lease is gone. */
  finish(cell: CellId, epoch: Epoch): Promise<boolean>
  /** Sets a cell aside until the crawl is resumed; `why` is for people. */
  park(cell: CellId, epoch: Epoch, until: Millis, why: string): Promise<boolean>
  /** Takes waiting cells out of the queue until a time; cells in another state are left alone. */
  defer(cells: readonly { readonly cell: CellId; readonly until: Millis }[]): Promise<void>
  /** Releases a cell, and keeps it out of the queue until `until`. */
  rest(cell: CellId, epoch: Epoch, until: Millis): Promise<boolean>
  /**
   * Closes a cell that nobody has leased since `epoch` and whose last pack is `lastPack`, and puts `children`
   * at the tail of the queue in its place (the head is for cells of failed agents, D16). The children derive
   * their state from its packs, number their own after `lastPack`, and get the unread rows of their paths.
   * False when the cell is leased, or was; the same split sent again is true again.
   */
  split(cell: CellId, epoch: Epoch, lastPack: number, children: readonly ChildCell[]): Promise<boolean>
}

/** Politeness turns of groups, and the waits of sites. */
interface Turns {
  /**
   * The turn of a group, or null while another incarnation holds it, and for an incarnation that has ended:
   * nobody would release it. The turn of a cell's own group comes with its first lease and goes with the
   * last; those of its addresses are taken and released by name.
   */
  takeTurn(
    incarnation: Incarnation,
    group: GroupId,
    leaseMs: Millis,
    delayMs: Millis,
  ): Promise<{ epoch: Epoch; nextAllowed: Millis } | null>
  releaseTurn(incarnation: Incarnation, group: GroupId, nextAllowed: Millis): Promise<void>
  /** Stores a wait or a delay before the next request; a stored wait is never shortened. */
  saveWait(group: GroupId, nextAllowed: Millis, delayMs: Millis): Promise<void>
  /** The stored waits and delays of these groups, in their order; zeros for a group without any. */
  waits(groups: readonly GroupId[]): Promise<readonly { nextAllowed: Millis; delayMs: Millis }[]>
  /** Stores the addresses of a site. Returns those that serve at most `mostSites`, which are groups. */
  joinAddresses(site: Site, addresses: readonly string[], mostSites: number): Promise<readonly string[]>
}

/** Links on their way into cells. */
interface Inboxes {
  /**
   * Rows of seeds and of a previous crawl; links of pages travel in packs. False when the crawl is closed or
   * a cell was split.
   */
  append(appends: readonly Append[]): Promise<boolean>
  /**
   * Links that are durable before the pack with their pages. Checked like the pack: the incarnation, the
   * crawl, the epochs of the source cells, and that no target was split. A batch that is sent twice adds its
   * rows twice; the seen-set of the target drops the repetition.
   */
  appendLinks(batch: LinkBatch): Promise<CommitResult>
  readInbox(cell: CellId, after: number, limit: number): Promise<readonly InboxRow[]>
}

/** Packs, the journals and messages that they have stored, and their files. */
interface Packs {
  /** Idempotent by id: the same pack may be sent again until an answer arrives. */
  commit(pack: Pack): Promise<CommitResult>
  /**
   * Journals of a cell and of its parents, from pack number `from` on, in order, about `maxBytes` at most.
   */
  readJournal(
    cell: CellId,
    from: number,
    maxBytes: number,
  ): Promise<readonly { number: number; journal: Uint8Array }[]>
  /** Journals of all cells, without those of their parents, in the order of cells after a place. */
  readJournals(
    after: { readonly cell: CellId; readonly number: number },
    maxBytes: number,
  ): Promise<readonly { cell: CellId; number: number; journal: Uint8Array }[]>
  /** The messages that all incarnations of an agent have received, in parts after number `after`. */
  readHeard(
    agent: string,
    after: number,
    limit: number,
  ): Promise<readonly { number: number; pages: Uint8Array; sites: Uint8Array }[]>
  /** Files of all incarnations with their committed lengths. */
  files(): Promise<readonly FileRow[]>
  /**
   * Replaces files by their merge in one step. False when one of `inputs` is no longer listed, or `seat` is
   * no longer the epoch of the coordinator's seat. Returns true again if the same swap is repeated.
   */
  swapFiles(inputs: readonly string[], outputs: readonly PackFile[], seat?: Epoch): Promise<boolean>
}

/** Robots state, and meta-info of the previous crawl (D6). All cells of a site share it. */
interface Sites {
  loadOrigins(cell: CellId): Promise<readonly OriginState[]>
  saveOrigin(cell: CellId, state: OriginState): Promise<void>
  /** Origins that are not crawled because their robots.txt could not be read: how many, and the first. */
  refusedOrigins(limit: number): Promise<RefusedOrigins>
  saveMeta(
    rows: readonly { readonly cell: CellId; readonly url: string; readonly meta: MetaInfo }[],
  ): Promise<void>
  /** Adds facts to stored meta-info with the same payload digest; others are dropped. */
  saveFacts(rows: readonly MetaFacts[]): Promise<void>
  loadMeta(cell: CellId, urls: readonly string[]): Promise<ReadonlyMap<string, MetaInfo>>
}

interface Settings {
  settings(): Promise<Readonly<Record<string, string>>>
  set(values: Readonly<Record<string, string>>): Promise<void>
}

/** The crawl as a whole: its end, and figures about it. */
interface Reports {
  /**
   * The latched end: closes the crawl when nothing is leased or drains and nothing waits (or at the limit).
   */
  tryEnd(): Promise<FinishReason | null>
  /** Opens a closed crawl again; parked cells wait again. */
  reopen(): Promise<void>
  crawlState(): Promise<CrawlState>
  totals(): Promise<Totals>
  /** Dangers to the stored data, and transactions that have blocked reads for longer than `heldUpMs`. */
  health(heldUpMs: Millis): Promise<LedgerHealth>
  /** The first parked cells. */
  parked(limit: number): Promise<readonly ParkedCell[]>
  /** Work of each agent in all runs of the crawl, by name. */
  agentWork(): Promise<readonly AgentWork[]>
  /** Cells in the order of their names; `crawled`: only cells with packs, however many others are known. */
  sites(after: CellId, limit: number, which?: 'all' | 'crawled'): Promise<readonly SiteSummary[]>
}

export interface Ledger extends Incarnations, Leases, Turns, Inboxes, Packs, Sites, Settings, Reports {
  close(): Promise<void>
}
