/** Incarnations of agents, the coordinator's seat and the page budget, in memory. */
import type { Epoch, Millis } from '../../model/index.js'
import type { AgentRow, Incarnation } from '../index.js'
import { budgetBlock, isSeatFree, isSilent } from '../rules/index.js'
import type { IncarnationRow, MemoryState } from './memory-state.js'

export class MemoryIncarnations {
  readonly #state: MemoryState
  readonly #now: () => Millis

  constructor(state: MemoryState, now: () => Millis) {
    this.#state = state
    this.#now = now
  }

  join(agent: string, lanes = 1): Incarnation {
    const { incarnations } = this.#state
    const incarnation = incarnations.length + 1
    if (lanes > 0) this.#state.crawling++
    incarnations.push({
      incarnation,
      name: agent,
      open: true,
      heartbeatAt: this.#now(),
      budget: 0,
      status: '{}',
      seen: 0,
      lanes,
      pages: 0,
      bytes: 0,
      fetches: 0,
      fetchMs: 0,
      held: new Set(),
      turns: new Set(),
    })
    return incarnation
  }

  silent(silentMs: Millis): Incarnation[] {
    const now = this.#now()
    return this.#state.incarnations
      .filter(({ open, heartbeatAt }) => open && isSilent(heartbeatAt, silentMs, now, this.#state))
      .map(({ incarnation }) => incarnation)
      .reverse()
  }

  takeSeat(incarnation: Incarnation, leaseMs: Millis): Epoch | null {
    const { seat } = this.#state
    const now = this.#now()
    if (!this.#state.incarnationRow(incarnation)?.open) return null
    const isHolderOpen = seat.agent !== null && (this.#state.incarnationRow(seat.agent)?.open ?? false)
    const isFree = isSeatFree({ isHolderOpen, until: seat.until }, now, this.#state)
    if (seat.agent !== incarnation && !isFree) return null
    if (seat.agent !== incarnation) seat.epoch++
    seat.agent = incarnation
    seat.until = now + leaseMs
    return seat.epoch
  }

  takeBudget(incarnation: Incarnation, held: number, want: number): { granted: number; outstanding: number } {
    const { maxPages, pages } = this.#state
    if (maxPages === null) return { granted: want, outstanding: 0 }
    const incarnationRow = this.#state.incarnationRow(incarnation)
    if (!incarnationRow?.open) return { granted: 0, outstanding: 0 }
    const others = this.#crawling().filter(other => other !== incarnationRow)
    const heldByOthers = others.reduce((sum, other) => sum + other.budget, 0)
    const block = budgetBlock({ maxPages, pages, others: others.length, heldByOthers }, held, want)
    incarnationRow.budget = held + block.granted
    return block
  }

  share(incarnation: Incarnation): number {
    const incarnationRow = this.#state.incarnationRow(incarnation)
    return incarnationRow?.open && incarnationRow.lanes > 0 ? 1 / this.#state.crawling : 0
  }

  agents(): AgentRow[] {
    const rows: AgentRow[] = []
    for (const incarnationRow of this.#state.incarnations) {
      if (!incarnationRow.open) continue
      const { name, incarnation, open, heartbeatAt, status, lanes, held } = incarnationRow
      incarnationRow.seen ??= seenIn(status)
      let unseen = 0
      for (const { grant } of held) if (grant > incarnationRow.seen) unseen++
      rows.push({ name, incarnation, open, heartbeatAt, status, lanes, unseen })
    }
    return rows
  }

  #crawling(): IncarnationRow[] {
    return this.#state.incarnations.filter(({ open, lanes }) => open && lanes > 0)
  }
}

/** Found without parsing the whole status: every heartbeat of the coordinator asks for it. */
function seenIn(status: string): number {
  return Number(/"seen":(\d+)/.exec(status)?.[1] ?? 0)
}
