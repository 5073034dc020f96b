/**
 * Live repartition. From time to time, and after agents have joined or left, it computes a new partition. If
 * the predicted gain is larger than the predicted cost, the new assignment replaces the old one, and cells
 * whose agent changes are moved: their holders stop, commit and release them (`moves.ts`). A record holds
 * what was predicted and what then happened (`repartition-record.ts`).
 */

import type { Bus } from '../../bus/index.js'
import type { Ledger } from '../../ledger/index.js'
import { type Clock, LIMITS, type Millis } from '../../model/index.js'
import type { AgentView, Assignment } from '../../plan/assign/index.js'
import { isMoved, type LiveAssignment, type SiteLeft } from '../../plan/assign/learned/index.js'
import { MOVES, Moves, type MovesParts } from './moves.js'
import {
  type Mark,
  markOf,
  type Predicted,
  REPARTITIONS,
  type Reason,
  type RepartitionRecord,
  recordsIn,
  SPAN,
  spanIn,
  withAfter,
  withRecord,
} from './repartition-record.js'

/** A possible repartition. */
export interface Proposal {
  readonly predicted: Predicted
  /** The remaining work; parts are indexes into the list of agents. */
  readonly left: readonly SiteLeft[]
  /** Saves the proposal for the next coordinator, and returns the new assignment. */
  readonly adopt: () => Promise<Assignment>
}

export interface RepartitionerParts {
  readonly clock: Clock
  readonly ledger: Ledger
  readonly bus: Bus
  readonly assignment: LiveAssignment
  readonly everyMs: Millis
  /** Resolves to null if there is no better partition to propose. */
  readonly propose: (agents: readonly AgentView[], why: Reason) => Promise<Proposal | null>
  /** The assignment that an earlier coordinator has adopted; null if there is none. */
  readonly restore: () => Promise<Assignment | null>
  /**
   * Decides whether a repartition is made; by default, if its gain is larger than its cost. Tests replace it.
   */
  readonly isWorth?: (predicted: Predicted) => boolean
  /** Cells that are not released within this time are released by force. */
  readonly graceMs?: Millis
  readonly log: (event: string, fields: Readonly<Record<string, unknown>>) => void
}

/** At most one part in this many of the time goes into computing partitions. */
const PROPOSAL_SHARE = 5
/** If agents keep joining and leaving, a partition is computed after this many grace times all the same. */
const MOST_GRACES = 3
/** After this many missed rounds the crawl was stopped meanwhile: that time belongs to no span. */
const MISSED_ROUNDS = 3

function pays({ gainMs, relocationMs }: Predicted): boolean {
  return gainMs > relocationMs && gainMs >= LIMITS.leastGainMs
}

export class Repartitioner {
  readonly #parts: RepartitionerParts
  readonly #movesParts: MovesParts
  /** Names of the agents at the last beat; null before the first. */
  #agents: ReadonlySet<string> | null = null
  /** Why a partition is due early, and the latest time for it. */
  #change: { readonly why: Reason; readonly latest: Millis } | null = null
  #due: Millis
  #proposing: Promise<void> | null = null
  #moves: Moves | null = null

  constructor(parts: RepartitionerParts) {
    const { clock, ledger, bus, assignment, graceMs } = parts
    this.#parts = parts
    this.#movesParts = { clock, ledger, bus, assignment, graceMs }
    this.#due = parts.clock.monotonic() + parts.everyMs
  }

  /** The coordinator has taken the seat: continues what the last holder has begun. */
  async seated(): Promise<void> {
    const { ledger, clock, everyMs, assignment } = this.#parts
    const adopted = await this.#parts.restore()
    if (adopted !== null) assignment.replace(adopted)
    const settings = await ledger.settings()
    this.#moves = Moves.restored(this.#movesParts, settings)
    const span = spanIn(settings)
    if (span !== null && clock.now() - span.to.at <= MISSED_ROUNDS * everyMs) return
    if (span !== null)
      await ledger.set({ [REPARTITIONS]: JSON.stringify(withAfter(recordsIn(settings), span)) })
    await this.#beginSpan()
  }

  /** Called with every beat. */
  async look(agents: readonly AgentView[]): Promise<void> {
    const now = this.#parts.clock.monotonic()
    this.#noteChanges(agents, now)
    if (this.#moves !== null) await this.#move(this.#moves, agents)
    else if (this.#proposing === null && now >= this.#due) {
      const why = this.#change?.why ?? 'time'
      this.#change = null
      this.#due = now + this.#parts.everyMs
      // Not awaited: cells are granted meanwhile.
      const failed = (error: Error) => this.#parts.log('repartition failed', { error: error.message })
      this.#proposing = this.#propose(agents, why)
        .catch(failed)
        .finally(() => {
          this.#proposing = null
          // With a large web a partition takes long, so it is computed less often.
          const tookMs = this.#parts.clock.monotonic() - now
          this.#due = Math.max(this.#due, now + PROPOSAL_SHARE * tookMs)
        })
    }
  }

  /** Gives agents time to come back before a partition is computed, but not without end. */
  #noteChanges(agents: readonly AgentView[], now: Millis): void {
    const names = new Set(agents.map(({ name }) => name))
    const before = this.#agents
    this.#agents = names
    if (before === null) return
    const left = [...before].some(name => !names.has(name))
    const joined = [...names].some(name => !before.has(name))
    if (!left && !joined) return
    const latest = this.#change?.latest ?? now + MOST_GRACES * LIMITS.partGraceMs
    this.#change = { why: left ? 'left' : 'joined', latest }
    this.#due = Math.min(now + LIMITS.partGraceMs, latest)
  }

  async #propose(agents: readonly AgentView[], why: Reason): Promise<void> {
    const { ledger, clock, log } = this.#parts
    const isWorth = this.#parts.isWorth ?? pays
    const proposal = await this.#parts.propose(agents, why)
    const mark = await markOf(ledger, clock.now())
    const span = { from: spanIn(await ledger.settings())?.from ?? mark, to: mark }
    await ledger.set({ [SPAN]: JSON.stringify(span) })
    if (proposal === null) return
    const { predicted } = proposal
    const record: RepartitionRecord = {
      at: mark.at,
      why,
      agents: agents.length,
      isWorth: isWorth(predicted),
      predicted,
      moved: null,
      before: null,
      after: null,
    }
    log(record.isWorth ? 'repartition' : 'no repartition', { why, ...predicted })
    if (record.isWorth) await this.#adopt(proposal, { ...record, before: span }, agents)
    else if (why !== 'time') await this.#save(record)
  }

  async #adopt(proposal: Proposal, record: RepartitionRecord, agents: readonly AgentView[]): Promise<void> {
    const { ledger, assignment } = this.#parts
    const moves = await Moves.prepared(this.#movesParts, record.at, agents)
    const records = withAfter(recordsIn(await ledger.settings()), record.before!)
    await ledger.set({ [REPARTITIONS]: withRecord(records, record), ...moves.saved() })
    assignment.replace(await proposal.adopt())
    // The new assignment must know the agents before it can name the owner of a cell.
    assignment.assign([], agents)
    const places = new Map(agents.map(({ incarnation }, place) => [incarnation, place]))
    const movedSites = proposal.left.filter(site => {
      const owner = assignment.intendedOwner(site.site)
      return owner !== null && isMoved(site, places.get(owner) ?? -1)
    }).length
    moves.begin(movedSites)
    await ledger.set(moves.saved())
    this.#moves = moves
  }

  async #move(moves: Moves, agents: readonly AgentView[]): Promise<void> {
    const { ledger, assignment, log } = this.#parts
    // After a change of the seat the assignment does not know the agents yet.
    assignment.assign([], agents)
    const relocated = await moves.look(agents)
    if (relocated === null) return
    const record = recordsIn(await ledger.settings()).find(({ at }) => at === moves.at)
    if (record) {
      log('repartition done', { ...relocated, predicted: record.predicted })
      await this.#save({ ...record, moved: relocated })
    }
    await this.#beginSpan()
    await ledger.set({ [MOVES]: 'null' })
    this.#moves = null
  }

  async #beginSpan(): Promise<void> {
    const { ledger, clock } = this.#parts
    const mark: Mark = await markOf(ledger, clock.now())
    await ledger.set({ [SPAN]: JSON.stringify({ from: mark, to: mark }) })
  }

  async #save(record: RepartitionRecord): Promise<void> {
    const { ledger } = this.#parts
    await ledger.set({ [REPARTITIONS]: withRecord(recordsIn(await ledger.settings()), record) })
  }
}
