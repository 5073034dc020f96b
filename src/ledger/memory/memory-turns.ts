/** Turns of groups in memory. */
import type { Epoch, GroupId, Millis } from '../../model/index.js'
import type { Site } from '../../model/url/index.js'
import type { Incarnation } from '../index.js'
import { type TurnHolder, turnClaim } from '../rules/index.js'
import type { MemoryState, TurnRow } from './memory-state.js'

export class MemoryTurns {
  readonly #state: MemoryState
  readonly #now: () => Millis
  readonly #addresses = new Map<string, Set<Site>>()
  readonly #addressesOf = new Map<Site, Set<string>>()

  constructor(state: MemoryState, now: () => Millis) {
    this.#state = state
    this.#now = now
  }

  /** If the caller already holds the turn, extends it to cover this lease. */
  take(
    incarnation: Incarnation,
    group: GroupId,
    leaseMs: Millis,
    delayMs: Millis,
  ): { epoch: Epoch; nextAllowed: Millis } | null {
    const now = this.#now()
    const known = this.#state.turns.get(group)
    if (!known) {
      const turn = this.#add(group, 1, now + leaseMs)
      this.#hold(turn, incarnation)
      return { epoch: 1, nextAllowed: 0 }
    }
    if (known.agent === incarnation) {
      known.leaseUntil = Math.max(known.leaseUntil, now + leaseMs)
      return { epoch: known.epoch, nextAllowed: known.nextAllowed }
    }
    const next = turnClaim(known, this.#holderOf(known), { now, leaseMs, delayMs })
    if (next === null) return null
    this.#hold(known, incarnation)
    known.epoch++
    known.leaseUntil = now + leaseMs
    known.nextAllowed = Math.ceil(next)
    return { epoch: known.epoch, nextAllowed: next }
  }

  /** Null also for an incarnation that has ended: nobody would release the turn. */
  takeTurn(
    incarnation: Incarnation,
    group: GroupId,
    leaseMs: Millis,
    delayMs: Millis,
  ): { epoch: Epoch; nextAllowed: Millis } | null {
    return this.#state.incarnationRow(incarnation)?.open
      ? this.take(incarnation, group, leaseMs, delayMs)
      : null
  }

  /** A turn that came with a lease stays until the group's last lease ends. */
  releaseTurn(incarnation: Incarnation, group: GroupId, nextAllowed: Millis): void {
    const turn = this.#state.turns.get(group)
    if (turn?.agent === incarnation) turn.nextAllowed = Math.max(turn.nextAllowed, Math.ceil(nextAllowed))
    this.freeIfUnused(incarnation, group, this.#now())
  }

  /** Releases the turn of a group unless the incarnation still leases a cell of the group. */
  freeIfUnused(incarnation: Incarnation, group: GroupId, heldUntil: Millis): void {
    const turn = this.#state.turns.get(group)
    if (turn?.agent !== incarnation || this.#state.leases(incarnation, group)) return
    this.#hold(turn, null)
    turn.leaseUntil = heldUntil
  }

  /** The incarnation has ended, so its last request was before now. */
  leave(incarnation: Incarnation): void {
    const now = this.#now()
    for (const turn of [...(this.#state.incarnationRow(incarnation)?.turns ?? [])]) {
      this.#hold(turn, null)
      turn.leaseUntil = now
    }
  }

  saveWait(group: GroupId, nextAllowed: Millis, delayMs: Millis): void {
    const turn = this.postpone(group, nextAllowed)
    turn.delayMs = Math.ceil(delayMs)
  }

  /** Never shortens a wait. */
  postpone(group: GroupId, nextAllowed: Millis): TurnRow {
    const turn = this.#state.turns.get(group) ?? this.#add(group, 0, 0)
    turn.nextAllowed = Math.max(turn.nextAllowed, Math.ceil(nextAllowed))
    return turn
  }

  waitOf(group: GroupId): { nextAllowed: Millis; delayMs: Millis } {
    const turn = this.#state.turns.get(group)
    return { nextAllowed: turn?.nextAllowed ?? 0, delayMs: turn?.delayMs ?? 0 }
  }

  /** Stores only enough sites to know that an address serves too many. */
  joinAddresses(site: Site, addresses: readonly string[], mostSites: number): string[] {
    return addresses.filter(address => {
      let sites = this.#addresses.get(address)
      if (!sites) {
        sites = new Set()
        this.#addresses.set(address, sites)
      }
      if (sites.size > mostSites) return false
      sites.add(site)
      const known = this.#addressesOf.get(site)
      if (known) known.add(address)
      else this.#addressesOf.set(site, new Set([address]))
      return sites.size <= mostSites
    })
  }

  /** A held turn of any address of the site. */
  addressTurn(site: Site): TurnRow | null {
    for (const address of this.#addressesOf.get(site) ?? []) {
      const turn = this.#state.turns.get(address)
      if (turn && turn.agent !== null) return turn
    }
    return null
  }

  #add(group: GroupId, epoch: Epoch, leaseUntil: Millis): TurnRow {
    const turn: TurnRow = { group, agent: null, epoch, leaseUntil, nextAllowed: 0, delayMs: 0 }
    this.#state.turns.set(group, turn)
    return turn
  }

  #hold(turn: TurnRow, agent: Incarnation | null): void {
    if (turn.agent !== null) this.#state.incarnationRow(turn.agent)?.turns.delete(turn)
    turn.agent = agent
    if (agent !== null) this.#state.incarnationRow(agent)?.turns.add(turn)
  }

  #holderOf({ agent }: TurnRow): TurnHolder | null {
    if (agent === null) return null
    const { lastHeartbeat, gapUntil } = this.#state
    const { open, heartbeatAt } = this.#state.incarnationRow(agent)!
    return { isOpen: open, heartbeatAt, lastHeartbeat, gapUntil }
  }
}
