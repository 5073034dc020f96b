/**
 * Live repartition. From time to time, and when an agent has come or gone, somebody computes whether the
 * sites would be better placed otherwise; where the predicted gain is larger than the predicted cost, the new
 * assignment takes the place of the old one, and the cells that are with the wrong agent are asked back: it
 * stops, seals, commits and releases them (`moves.ts`). What was predicted and what then happened is written
 * down (`repartition-record.ts`).
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

/** A change that could be made. */
export interface Proposal {
  readonly predicted: Predicted
  /** What it starts from; parts are places in the agents that were asked about. */
  readonly left: readonly SiteLeft[]
  /** Writes it down for the next coordinator, and makes the assignment. */
  readonly adopt: () => Promise<Assignment>
}

export interface RepartitionerParts {
  readonly clock: Clock
  readonly ledger: Ledger
  readonly bus: Bus
  readonly assignment: LiveAssignment
  readonly everyMs: Millis
  /** Null where nothing can be said. */
  readonly propose: (agents: readonly AgentView[], why: Reason) => Promise<Proposal | null>
  /** What an earlier holder of the seat has adopted; null where that is nothing. */
  readonly restore: () => Promise<Assignment | null>
  /** Gain over cost, unless somebody wants to see it move. */
  readonly isWorth?: (predicted: Predicted) => boolean
  /** Cells that have not come back by then are taken by force. */
  readonly graceMs?: Millis
  readonly log: (event: string, fields: Readonly<Record<string, unknown>>) => void
}

/** Of the time, one part in so many goes into looking. */
const PROPOSAL_SHARE = 5
/** Where agents come and go all the time, it is looked after so many graces all the same. */
const MOST_GRACES = 3
/**
 * Nobody looked for so many rounds: the crawl was stopped meanwhile, and that time is no part of any span.
 */
const MISSED_ROUNDS = 3

function pays({ gainMs, relocationMs }: Predicted): boolean {
  return gainMs > relocationMs && gainMs >= LIMITS.leastGainMs
}

export class Repartitioner {
  readonly #parts: RepartitionerParts
  readonly #movesParts: MovesParts
  /** Names of the agents when this was last looked at; null before the first time. */
  #agents: ReadonlySet<string> | null = null
  /** Why it is due, and the latest time by which agents that come and go are looked at. */
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

  /** The seat is ours from now on: what another has begun is gone on with. */
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

  /** With every beat of the coordinator that has the seat. */
  async look(agents: readonly AgentView[]): Promise<void> {
    const now = this.#parts.clock.monotonic()
    this.#meet(agents, now)
    if (this.#moves !== null) await this.#move(this.#moves, agents)
    else if (this.#proposing === null && now >= this.#due) {
      const why = this.#change?.why ?? 'time'
      this.#change = null
      this.#due = now + this.#parts.everyMs
      // Not waited for: cells are handed out meanwhile.
      const failed = (error: Error) => this.#parts.log('repartition failed', { error: error.message })
      this.#proposing = this.#propose(agents, why)
        .catch(failed)
        .finally(() => {
          this.#proposing = null
          // What takes long is done less often: a large web is gone through for it.
          const tookMs = this.#parts.clock.monotonic() - now
          this.#due = Math.max(this.#due, now + PROPOSAL_SHARE * tookMs)
        })
    }
  }

  /** Who has come or gone is given the time to come back; not for ever, where somebody always does. */
  #meet(agents: readonly AgentView[], now: Millis): void {
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
    await ledger.set({ [REPARTITIONS]: withRecord(records, record), ...moves.kept() })
    assignment.replace(await proposal.adopt())
    // Seen by the new assignment at once: it has to know who is here before it can say for whom a cell is
    // meant.
    assignment.assign([], agents)
    const places = new Map(agents.map(({ incarnation }, place) => [incarnation, place]))
    const movedSites = proposal.left.filter(site => {
      const owner = assignment.intendedOwner(site.site)
      return owner !== null && isMoved(site, places.get(owner) ?? -1)
    }).length
    moves.begin(movedSites)
    await ledger.set(moves.kept())
    this.#moves = moves
  }

  async #move(moves: Moves, agents: readonly AgentView[]): Promise<void> {
    const { ledger, assignment, log } = this.#parts
    // After a change of the seat it has not met them yet.
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
