/**
 * Port: the ledger, the only durable truth of a crawl. Agents, coordinator and files are replaceable; what is
 * not in here has not happened. The rules it keeps are in `docs/explanation/rules.md`; each method
 * names the one it serves.
 */
import type { CellId, Epoch, GroupId, Lease, MetaInfo, Millis } from '../model/index.js'
import type { Site } from '../model/url/index.js'
import type {
  AgentRow,
  AgentWork,
  ChildCell,
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

export * from './ledger-error.js'
export * from './ledger-rows.js'
export * from './pack-rows.js'

export interface Ledger {
  /**
   * Starts an incarnation of an agent that crawls `lanes` sites at a time (1). With 0 it only coordinates,
   * and has no share of the crawl's limits. A second agent with the same name does not end the first.
   */
  join(agent: string, lanes?: number): Promise<Incarnation>
  /**
   * Ends an incarnation: returns its page budget, ends its leases (its cells go to the HEAD of the queue,
   * D16).
   */
  leave(incarnation: Incarnation): Promise<void>
  /** Ends every incarnation but none of the data: `resume` under the directory lock. */
  endAllLeases(): Promise<void>
  /**
   * Ends the incarnations that were not heard from for so long, unless the ledger itself was away; tells
   * which.
   */
  closeSilent(silentMs: Millis): Promise<readonly Incarnation[]>
  /**
   * The coordinator's seat: taken when it is free or its holder has fallen silent for a lease, renewed by its
   * holder. Null while another incarnation has it; its epoch rises with every new holder.
   */
  takeSeat(incarnation: Incarnation, leaseMs: Millis): Promise<Epoch | null>
  /**
   * Renews all leases of an incarnation, and brings what changed. `status` is JSON; `fetches` in it are all
   * requests it has sent.
   */
  heartbeat(incarnation: Incarnation, leaseMs: Millis, status: string): Promise<Heartbeat>

  /**
   * Head of the queue; with `able`, without the cells whose group's turn is held by an incarnation that is
   * not among them.
   */
  waiting(limit: number, able?: readonly Incarnation[]): Promise<readonly WaitingCell[]>
  /**
   * Leases those of `cells` that still wait or whose lease has ended, each with a new epoch and with the turn
   * of its group; a cell whose turn another incarnation holds is not leased. `delayMs` is the least pause
   * between two requests.
   */
  grant(
    incarnation: Incarnation,
    cells: readonly CellId[],
    leaseMs: Millis,
    delayMs: Millis,
    lane?: number,
  ): Promise<readonly Lease[]>
  /**
   * The leases of an incarnation that were granted after the one numbered `after`, in the order they were
   * granted.
   */
  leases(incarnation: Incarnation, after: number): Promise<readonly Lease[]>
  /**
   * Binds cells to lanes until they are bound anew: what an assignment has planned outlives its coordinator.
   */
  bind(cells: readonly (LaneName & { readonly cell: CellId })[]): Promise<void>
  laneLoads(): Promise<readonly LaneLoad[]>
  /** What is known of the sizes of cells, in objects (D12). */
  estimate(sizes: readonly { readonly cell: CellId; readonly size: number }[]): Promise<void>
  /** Orders S by size, the largest first (D3, D14); what is found later joins at the tail. */
  rankBySize(): Promise<void>
  /** Releases a cell to S: `head` when it was lost, `tail` when its slice is over. */
  release(cell: CellId, epoch: Epoch, where: 'head' | 'tail'): Promise<boolean>
  /** True when the cell is finished; false when rows came meanwhile (or the lease is gone). */
  finish(cell: CellId, epoch: Epoch): Promise<boolean>
  /** Sets a cell aside until the crawl is resumed; `why` is for people. */
  park(cell: CellId, epoch: Epoch, until: Millis, why: string): Promise<boolean>
  /** Cells that wait are not seen in S before their time; others stay as they are. */
  defer(cells: readonly { readonly cell: CellId; readonly until: Millis }[]): Promise<void>
  /** Releases a cell to S, where it is not seen before `until`. */
  rest(cell: CellId, epoch: Epoch, until: Millis): Promise<boolean>

  /**
   * Splits a cell that nobody has leased since `epoch` and whose last pack is `lastPack`: it is closed, and
   * its children stand in its place, at the tail of the queue (its head is for what was lost, D16). They go
   * on with its packs (theirs are numbered behind `lastPack`), have its unread rows, each those of its paths,
   * and as many queued URLs as is said. False when somebody has the cell, or had it; the same split sent
   * again is true again.
   */
  split(cell: CellId, epoch: Epoch, lastPack: number, children: readonly ChildCell[]): Promise<boolean>

  /**
   * Seeds and recrawl; links of pages travel in packs. Refused (false) when the crawl is closed, or a cell
   * was split.
   */
  append(appends: readonly Append[]): Promise<boolean>
  /**
   * Links that are durable before the pack with their pages is. Checked like the pack: the incarnation, the
   * crawl, the epochs of the source cells, and that no target was split. A batch that is sent twice adds its
   * rows twice; the seen-set of the target drops the second ones.
   */
  appendLinks(batch: LinkBatch): Promise<CommitResult>
  readInbox(cell: CellId, after: number, limit: number): Promise<readonly InboxRow[]>
  /**
   * Committed journal of a cell from pack number `from` on, in order, at most about `maxBytes`; first that of
   * its parents.
   */
  readJournal(
    cell: CellId,
    from: number,
    maxBytes: number,
  ): Promise<readonly { number: number; journal: Uint8Array }[]>
  /** The same of all cells, each with its own alone, in the order of cells, behind the given place. */
  readJournals(
    after: { readonly cell: CellId; readonly number: number },
    maxBytes: number,
  ): Promise<readonly { cell: CellId; number: number; journal: Uint8Array }[]>
  /**
   * What the incarnations of an agent have heard, part by part behind number `after`: so that nothing is
   * counted twice.
   */
  readHeard(
    agent: string,
    after: number,
    limit: number,
  ): Promise<readonly { number: number; pages: Uint8Array; sites: Uint8Array }[]>
  /** Idempotent by id: the same pack may be sent again until the answer is known. */
  commit(pack: Pack): Promise<CommitResult>

  /**
   * The turn of a group, or null while another incarnation holds it, and for an incarnation that has ended:
   * nobody would release it. The turn of a cell's own group comes with its lease and goes with the last
   * lease; those of its addresses are taken and released by name.
   */
  takeTurn(
    incarnation: Incarnation,
    group: GroupId,
    leaseMs: Millis,
    delayMs: Millis,
  ): Promise<{ epoch: Epoch; nextAllowed: Millis } | null>
  releaseTurn(incarnation: Incarnation, group: GroupId, nextAllowed: Millis): Promise<void>
  /**
   * A wait or a pause longer than the ledger knows, written before the next request. Never shortens a wait.
   */
  saveWait(group: GroupId, nextAllowed: Millis, delayMs: Millis): Promise<void>
  /** What the rows of these groups say, in their order; nothing and no pause of one that has none. */
  waits(groups: readonly GroupId[]): Promise<readonly { nextAllowed: Millis; delayMs: Millis }[]>
  /**
   * Notes where a site is served, and tells which of the addresses serve at most `mostSites`: those are
   * groups.
   */
  joinAddresses(site: Site, addresses: readonly string[], mostSites: number): Promise<readonly string[]>

  /** Cells of one site share what is known of its origins. */
  loadOrigins(cell: CellId): Promise<readonly OriginState[]>
  saveOrigin(cell: CellId, state: OriginState): Promise<void>
  /**
   * Origins that are not crawled because their robots.txt could not be read: the first by name, and how many.
   */
  refusedOrigins(limit: number): Promise<RefusedOrigins>

  /** Meta-info of the previous crawl (D6), by site. */
  saveMeta(
    rows: readonly { readonly cell: CellId; readonly url: string; readonly meta: MetaInfo }[],
  ): Promise<void>
  /** Goes with the meta-info of the same payload, and nowhere else. */
  saveFacts(rows: readonly MetaFacts[]): Promise<void>
  loadMeta(cell: CellId, urls: readonly string[]): Promise<ReadonlyMap<string, MetaInfo>>

  /**
   * Reserves up to `want` pages of `--max-pages` besides the `held` that this incarnation still needs: those
   * not yet asked for, being fetched, or not committed. What it had reserved beyond `held` is free again. 0
   * when none is free now.
   */
  takeBudget(
    incarnation: Incarnation,
    held: number,
    want: number,
  ): Promise<{ readonly granted: number; readonly outstanding: number }>

  settings(): Promise<Readonly<Record<string, string>>>
  set(values: Readonly<Record<string, string>>): Promise<void>

  /** Files of all incarnations with their committed lengths. */
  files(): Promise<readonly FileRow[]>
  /**
   * Replaces files by what was made of them, in one step; false when one of `inputs` is no longer listed, or
   * when `seat` is no longer the epoch of the coordinator's. The same swap sent again is true again.
   */
  swapFiles(inputs: readonly string[], outputs: readonly PackFile[], seat?: Epoch): Promise<boolean>

  /**
   * The latched end: closes the crawl when nothing is leased or drains and nothing waits (or the limit is
   * reached).
   */
  tryEnd(): Promise<FinishReason | null>
  /** Opens a closed crawl again; parked cells wait again. */
  reopen(): Promise<void>
  totals(): Promise<Totals>
  /** What may lose what is written here, and what has kept it from being read for longer than `heldUpMs`. */
  health(heldUpMs: Millis): Promise<LedgerHealth>
  /** The first of the cells that were set aside. */
  parked(limit: number): Promise<readonly ParkedCell[]>
  /** Lives that are open, the latest last. */
  agents(): Promise<readonly AgentRow[]>
  /** Of the whole crawl, all runs together, by name. */
  agentWork(): Promise<readonly AgentWork[]>
  /**
   * Cells in the order of their names; `crawled`: only those of which a pack holds something, however many
   * are known.
   */
  sites(after: CellId, limit: number, which?: 'all' | 'crawled'): Promise<readonly SiteSummary[]>
  close(): Promise<void>
}
