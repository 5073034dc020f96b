/**
 * Live repartition. From time to time, and when an agent has come or gone, somebody computes whether the sites would be better
 * placed otherwise; where the predicted gain is larger than the predicted cost, the new assignment takes the place of the old
 * one, and the cells that are with the wrong agent are asked back: it stops, seals, commits and releases them. What was
 * predicted and what then happened is written down.
 */
import type { AgentView, Assignment, LiveAssignment } from '../assign/index.js'
import type { Bus, Incarnation, Ledger } from '../cluster/index.js'
import type { CellId, Epoch } from '../model/cell.js'
import type { Clock, Millis } from '../model/clock.js'
import { LIMITS } from '../model/limits.js'

/** What moving is for, and what it costs. */
interface Predicted {
  readonly gainMs: Millis
  readonly costMs: Millis
  readonly messagesBefore: number
  readonly messagesAfter: number
  readonly movedSites: number
}

/** A change that could be made. */
export interface Proposal {
  readonly predicted: Predicted
  /** Writes it down for the next coordinator, and makes the assignment. */
  readonly adopt: () => Promise<Assignment>
}

export type Reason = 'time' | 'joined' | 'left'

/** What was done, and what came of it: a row of the report. */
export interface RepartitionRecord {
  /** Ledger time. */
  readonly at: Millis
  readonly why: Reason
  readonly agents: number
  readonly isWorth: boolean
  readonly predicted: Predicted
  /** Of the crawl when it was decided. */
  readonly pages: number
  readonly messages: number
  /** Null while it is under way, and where nothing was done. */
  readonly happened: { readonly relocationMs: Millis; readonly moved: number; readonly forced: number } | null
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
  readonly log: (event: string, fields: Readonly<Record<string, unknown>>) => void
}

interface Move {
  readonly holder: Incarnation
  readonly epoch: Epoch
}

/** Setting: the records, oldest first. */
export const REPARTITIONS = 'repartitions'
const KEPT_RECORDS = 50
/** Of the time, one part in so many goes into looking. */
const PROPOSAL_SHARE = 5
/** Names of cells are long where sites are split, and a word on the bus must be short. */
const CELLS_A_MESSAGE = 20

export class Repartitioner {
  readonly #parts: RepartitionerParts
  /** Names of the agents when this was last looked at; null before the first time. */
  #agents: ReadonlySet<string> | null = null
  #change: Reason = 'time'
  #due: Millis
  #proposing: Promise<void> | null = null
  #moving: {
    readonly since: Millis
    readonly record: RepartitionRecord
    readonly moves: Map<CellId, Move>
    readonly count: number
    forced: number
  } | null = null

  constructor(parts: RepartitionerParts) {
    this.#parts = parts
    this.#due = parts.clock.monotonic() + parts.everyMs
  }

  /** The seat is ours from now on. */
  async seated(): Promise<void> {
    const adopted = await this.#parts.restore()
    if (adopted !== null) this.#parts.assignment.replace(adopted)
    this.#moving = null
  }

  /** With every beat of the coordinator that has the seat. */
  async look(agents: readonly AgentView[]): Promise<void> {
    const now = this.#parts.clock.monotonic()
    this.#meet(agents, now)
    if (this.#moving !== null) await this.#move(agents)
    else if (this.#proposing === null && now >= this.#due) {
      const why = this.#change
      this.#change = 'time'
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

  /** Who has come or gone is given the time to come back. */
  #meet(agents: readonly AgentView[], now: Millis): void {
    const names = new Set(agents.map(({ name }) => name))
    const before = this.#agents
    this.#agents = names
    if (before === null) return
    const left = [...before].some(name => !names.has(name))
    const joined = [...names].some(name => !before.has(name))
    if (!left && !joined) return
    this.#change = left ? 'left' : 'joined'
    this.#due = now + LIMITS.partGraceMs
  }

  async #propose(agents: readonly AgentView[], why: Reason): Promise<void> {
    const { ledger, assignment, clock, log } = this.#parts
    const isWorth = this.#parts.isWorth ?? (({ gainMs, costMs }) => gainMs > costMs)
    const proposal = await this.#parts.propose(agents, why)
    if (proposal === null) return
    const { predicted } = proposal
    const work = await ledger.agentWork()
    const record: RepartitionRecord = {
      at: clock.now(),
      why,
      agents: agents.length,
      isWorth: isWorth(predicted),
      predicted,
      pages: work.reduce((sum, { pages }) => sum + pages, 0),
      messages: work.reduce((sum, { messages }) => sum + messages, 0),
      happened: null,
    }
    log(record.isWorth ? 'repartition' : 'no repartition', { why, ...predicted })
    if (!record.isWorth) {
      if (why !== 'time') await this.#save(record)
      return
    }
    const held = await this.#heldByOwners(agents)
    assignment.replace(await proposal.adopt())
    // Seen by the new assignment at once: it has to know who is here before it can say for whom a cell is meant.
    assignment.assign([], agents)
    await this.#save(record)
    for (const [cell, { holder }] of held) {
      const owner = assignment.meantFor(cell)
      if (owner === null || owner === holder) held.delete(cell)
    }
    const moves = held
    this.#moving = { since: clock.monotonic(), record, moves, count: moves.size, forced: 0 }
  }

  /** Leased cells that are with the agent they are meant for; those that another took over are its bargains. */
  async #heldByOwners(agents: readonly AgentView[]): Promise<Map<CellId, Move>> {
    const { ledger, assignment } = this.#parts
    const held = new Map<CellId, Move>()
    for (const { incarnation } of agents)
      for (const { cell, epoch } of await ledger.leases(incarnation, 0))
        if (assignment.meantFor(cell) === incarnation) held.set(cell, { holder: incarnation, epoch })
    return held
  }

  /** Asks for what has not come back yet, again with every beat: the bus may lose it. */
  async #move(agents: readonly AgentView[]): Promise<void> {
    const { ledger, bus, clock } = this.#parts
    const moving = this.#moving!
    const waitedMs = clock.monotonic() - moving.since
    const force = waitedMs > LIMITS.moveGraceMs
    const held = new Map<CellId, Epoch>()
    for (const { incarnation } of agents)
      for (const { cell, epoch } of await ledger.leases(incarnation, 0)) held.set(cell, epoch)
    const asked = new Map<Incarnation, CellId[]>()
    for (const [cell, { holder, epoch }] of moving.moves) {
      if (held.get(cell) !== epoch) moving.moves.delete(cell)
      else asked.set(holder, [...(asked.get(holder) ?? []), cell])
    }
    if (force) moving.forced = Math.max(moving.forced, moving.moves.size)
    for (const [to, cells] of asked)
      for (let i = 0; i < cells.length; i += CELLS_A_MESSAGE)
        bus.send({ kind: 'move', to, cells: cells.slice(i, i + CELLS_A_MESSAGE), force })
    if (moving.moves.size > 0) return
    this.#moving = null
    const happened = { relocationMs: waitedMs, moved: moving.count, forced: moving.forced }
    this.#parts.log('repartition done', { ...happened, predicted: moving.record.predicted })
    await this.#save({ ...moving.record, happened })
  }

  /** The record of one time replaces the one that was there before. */
  async #save(record: RepartitionRecord): Promise<void> {
    const { ledger } = this.#parts
    const { [REPARTITIONS]: text = '[]' } = await ledger.settings()
    const others = (JSON.parse(text) as RepartitionRecord[]).filter(({ at }) => at !== record.at)
    await ledger.set({ [REPARTITIONS]: JSON.stringify([...others, record].slice(-KEPT_RECORDS)) })
  }
}
