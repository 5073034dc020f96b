/**
 * The turns of this agent: one pace for each group of its open sites. A cell's lease includes the turn of the
 * group under which it is filed. Other turns (of its addresses with `--group ip`, of its domain if sites were
 * their own groups at first) are taken from the ledger by name before the site's first request.
 */

import type { Incarnation, Ledger } from '../../ledger/index.js'
import {
  type Clock,
  type GroupId,
  type Grouping,
  groupOf,
  type Lease,
  LIMITS,
  type Millis,
  ownTurn,
  type StopSignal,
  siteOfCell,
} from '../../model/index.js'
import { hostOf, type Site } from '../../model/url/index.js'
import { GroupPace } from './group-pace.js'
import type { PhaseGate } from './phase-gate.js'
import type { PhaseGates } from './phase-gates.js'
import { shardOf } from './phases/index.js'
import { type Pause, SitePace } from './site-pace.js'
import { type KnownWait, SiteWait } from './site-wait.js'

export interface TurnsParts {
  readonly clock: Clock
  readonly ledger: Ledger
  readonly incarnation: Incarnation
  /** The grouping of cells in the ledger, fixed for the crawl; at first also the grouping of turns. */
  readonly grouping: Grouping
  /** The addresses of a host. */
  readonly resolve: (host: string) => Promise<readonly string[]>
  /** The current minimum pause between two requests to a site. */
  readonly leastDelayMs: () => Millis
  readonly connectionsPerSite: () => number
  readonly leaseMs: Millis
  /** Aborts when the agent stops sending requests. */
  readonly signal: StopSignal
  readonly onFailure: (error: Error) => void
  /** Set if the clock decides who may send requests (`phases`); turns then only keep the pace. */
  readonly phases?: PhaseGates | null
  /** Changed only in tests. */
  readonly sitesPerAddress?: number
}

type KnownWaits = Pick<Lease, 'notBefore' | 'waitUntil' | 'delayMs'> & Partial<Pick<Lease, 'cell'>>

export class Turns {
  readonly #parts: TurnsParts
  readonly #groups = new Map<GroupId, GroupPace>()
  /** Groups without a site, in the order in which they became empty. */
  readonly #empty = new Set<GroupPace>()
  readonly #sites = new Set<SitePace>()
  /** Paces of hops, and the group whose turn each uses. */
  readonly #borrows = new Map<SitePace, GroupPace>()
  /** Paces of cells that are about to be released. */
  readonly #leaving = new Set<SitePace>()
  /** Releases by name that are not answered yet. */
  readonly #releasing = new Map<GroupId, Promise<void>>()
  /** The waits of sites with several cells. */
  readonly #owns = new Map<Site, SiteWait>()
  #grouping: Grouping

  constructor(parts: TurnsParts) {
    this.#parts = parts
    this.#grouping = parts.grouping
    const stop = () => {
      for (const site of this.#sites) site.giveUp()
    }
    parts.signal.addEventListener('abort', stop, { once: true })
  }

  /** The pace of a leased cell; null while another agent holds the turn of one of its addresses. */
  open(lease: Lease): SitePace | Promise<SitePace | null> {
    const site = siteOfCell(lease.cell)
    if (this.#parts.phases) return this.#inPhase(site, shardOf(lease.cell), lease.turnFrom, lease)
    const filed = groupOf(site, this.#parts.grouping)
    const wanted = this.#grouping === this.#parts.grouping ? filed : groupOf(site, this.#grouping)
    if (wanted === filed) return this.#paceOf(site, this.#enter(filed, lease.turnFrom), lease)
    // With grouping `none` the group is the site, whose turn comes with the lease.
    if (this.#grouping === 'none') return this.#paceOf(site, this.#enter(wanted, 0), lease)
    return this.#openByName(site, wanted, lease)
  }

  #inPhase(site: Site, shard: number, from: Millis, known: KnownWaits): SitePace {
    const groups = [this.#enter(groupOf(site, this.#grouping), from)]
    return this.#paceIn(groups, site, known, this.#parts.phases!.gateOf(site, shard, groups))
  }

  async #openByName(site: Site, group: GroupId, lease: Lease): Promise<SitePace | null> {
    const domain = await this.#enterByName(group)
    return domain && this.#paceOf(site, domain, lease)
  }

  /** The group whose turn a site shares at present. */
  groupOf(site: Site): GroupId {
    return groupOf(site, this.#grouping)
  }

  /** The group of a site; with `--group ip` also the groups of its addresses. */
  async groupsOf(site: Site): Promise<readonly GroupId[]> {
    const group = this.groupOf(site)
    return this.#grouping === 'ip' ? [group, ...(await this.#addressesOf(site))] : [group]
  }

  /** Sets the grouping of turns; true if it changed, so that open sites must be opened anew. */
  regroup(grouping: Grouping): boolean {
    // Phases belong to groups, which stay as they were at the start of the crawl.
    if (this.#parts.phases) return false
    const isNews = grouping !== this.#grouping
    this.#grouping = grouping
    return isNews
  }

  /**
   * The pace of a site that need not be leased here: a redirect hop of a robots.txt needs its turn too. Null
   * while another agent holds that turn. To be closed like the others; no other turn may be held meanwhile.
   * Under `phases`, a site of that shard.
   */
  async borrow(site: Site, shard = 0): Promise<SitePace | null> {
    const { phases } = this.#parts
    if (phases) return this.#inPhase(site, shard, 0, { notBefore: 0, waitUntil: 0, delayMs: 0 })
    const own = await this.#takeTurn(ownTurn(site))
    if (own === null) return null
    this.#releaseTurn(ownTurn(site), 0)
    const id = groupOf(site, this.#grouping)
    // The turn is about to be released with a lease; afterwards it can be taken again.
    if ((this.#groups.get(id)?.leaving ?? 0) > 0) return null
    const entering = this.#enterByName(id)
    const group = this.#groups.get(id)!
    group.borrowers++
    const domain = await entering
    const known = { notBefore: 0, waitUntil: own.nextAllowed, delayMs: 0 }
    const pace = domain && (await this.#paceOf(site, domain, known))
    if (pace === null) group.borrowers--
    else this.#borrows.set(pace, group)
    return pace
  }

  /**
   * Whether the cell can be released now: not while a hop uses the turn of its lease. If true, no hop begins
   * until `close` or `stays`.
   */
  mayLeave(pace: SitePace): boolean {
    const [domain] = pace.groups
    if (this.#leaving.has(pace)) return true
    if (domain.borrowers > 0) return false
    domain.leaving++
    this.#leaving.add(pace)
    return true
  }

  stays(pace: SitePace): void {
    if (this.#leaving.delete(pace)) pace.groups[0].leaving--
  }

  /**
   * Releases the cell. The turn of its domain goes with the lease; turns taken by name are released by name.
   */
  close(pace: SitePace): void {
    pace.giveUp()
    this.stays(pace)
    const borrowed = this.#borrows.get(pace)
    if (borrowed && this.#borrows.delete(pace)) borrowed.borrowers--
    this.#sites.delete(pace)
    pace.own.cells--
    for (const group of pace.groups) this.#exit(group)
  }

  /** When one more site could use the group's turn, and the time between two sites; null if that is soon. */
  backlogOf(group: GroupId): { readonly until: Millis; readonly spacingMs: Millis } | null {
    const pace = this.#groups.get(group)
    if (!pace) return null
    const now = this.#parts.clock.now()
    const until = pace.expectedAt(now)
    return until - now > LIMITS.groupWaitMs ? { until, spacingMs: pace.spacingMs } : null
  }

  /** Settings have changed: no wait is longer than the new delay. */
  ease(delayMs: Millis): void {
    for (const group of this.#groups.values()) group.ease(delayMs)
    for (const site of this.#sites) site.ease(delayMs)
  }

  /** Synchronous unless addresses count. */
  #paceOf(site: Site, domain: GroupPace, known: KnownWaits): SitePace | Promise<SitePace | null> {
    if (this.#grouping !== 'ip') return this.#paceIn([domain], site, known)
    return this.#withAddresses(site, domain).then(groups => groups && this.#paceIn(groups, site, known))
  }

  #paceIn(
    groups: readonly GroupPace[],
    site: Site,
    known: KnownWaits,
    gate: PhaseGate | null = null,
  ): SitePace {
    const { clock, leastDelayMs, signal } = this.#parts
    const asked = {
      notBefore: known.notBefore,
      waitUntil: known.waitUntil,
      knownMs: Math.max(known.delayMs, leastDelayMs()),
    }
    const isPart = gate === null && known.cell !== undefined && known.cell !== site
    const pace = new SitePace({
      clock,
      groups,
      ...asked,
      own: isPart ? this.#ownOf(site, asked) : undefined,
      save: (waitUntil, pause) => this.#save(site, groups, waitUntil, pause),
      gate,
    })
    this.#sites.add(pace)
    if (signal.aborted) pace.giveUp()
    return pace
  }

  /** The waits shared by the open cells of a site. */
  #ownOf(site: Site, known: KnownWait): SiteWait {
    const now = this.#parts.clock.now()
    // Kept until its waits are over: a cell leased before the last request to its site may not know of it.
    for (const [old, pace] of this.#owns) if (pace.cells === 0 && pace.until <= now) this.#owns.delete(old)
    let own = this.#owns.get(site)
    if (own === undefined) {
      own = new SiteWait(known)
      this.#owns.set(site, own)
    }
    return own
  }

  async #withAddresses(site: Site, domain: GroupPace): Promise<GroupPace[] | null> {
    const { ledger, sitesPerAddress = LIMITS.sitesPerAddress } = this.#parts
    const groups = [domain]
    const addresses = await this.#addressesOf(site)
    const shared = new Set(await ledger.joinAddresses(site, addresses, sitesPerAddress))
    for (const address of addresses) {
      if (!shared.has(address)) {
        this.#dissolve(address)
        continue
      }
      const group = await this.#enterByName(address)
      if (group === null) {
        for (const entered of groups) this.#exit(entered)
        return null
      }
      groups.push(group)
    }
    return groups
  }

  /** In a fixed order, so that agents that want the same turns do not block each other. */
  async #addressesOf(site: Site): Promise<readonly string[]> {
    const addresses = await this.#parts.resolve(hostOf(site))
    return [...addresses].sort().slice(0, LIMITS.addressesPerSite)
  }

  /** Null while another agent holds the turn. */
  async #enterByName(id: GroupId): Promise<GroupPace | null> {
    // Entered first, so that a site that closes meanwhile does not release the turn that we are about to get.
    const group = this.#enter(id, 0)
    const turn = await this.#takeTurn(id)
    if (turn === null) {
      this.#exit(group)
      return null
    }
    group.isNamed = true
    group.postpone(turn.nextAllowed)
    return group
  }

  /**
   * Waits for our own release of the turn first. Calls can overtake each other (several connections,
   * retries), and a late release would free the turn while we use it.
   */
  async #takeTurn(group: GroupId): Promise<{ nextAllowed: Millis } | null> {
    const { ledger, incarnation, leaseMs, leastDelayMs } = this.#parts
    await this.#releasing.get(group)
    return ledger.takeTurn(incarnation, group, leaseMs, leastDelayMs())
  }

  #releaseTurn(group: GroupId, nextAllowed: Millis): void {
    const { ledger, incarnation, onFailure } = this.#parts
    const release = ledger.releaseTurn(incarnation, group, nextAllowed).catch(onFailure)
    const released: Promise<void> = Promise.all([this.#releasing.get(group), release]).then(() => {
      if (this.#releasing.get(group) === released) this.#releasing.delete(group)
    })
    this.#releasing.set(group, released)
  }

  /** Frees the waiters of a group that no longer limits anybody. */
  #dissolve(id: GroupId): void {
    const group = this.#groups.get(id)
    if (!group || group.dissolved) return
    group.dissolved = true
    group.serveAgain()
  }

  #enter(id: GroupId, from: Millis): GroupPace {
    let group = this.#groups.get(id)
    if (!group) {
      group = new GroupPace(id, this.#parts.clock, this.#parts.connectionsPerSite)
      this.#groups.set(id, group)
    }
    group.sites++
    group.postpone(from)
    return group
  }

  /**
   * The last site releases a turn taken by name, whoever took it. A pace is remembered until its waits are
   * over: a cell granted meanwhile may not know them from the ledger.
   */
  #exit(group: GroupPace): void {
    if (--group.sites > 0) return
    if (group.isNamed) this.#releaseTurn(group.id, group.nextAllowed)
    group.isNamed = false
    this.#empty.add(group)
    this.#forgetOld()
  }

  /** Checks the oldest entries only, until one is still needed. */
  #forgetOld(): void {
    const now = this.#parts.clock.now()
    for (const group of this.#empty) {
      if (group.sites === 0 && group.nextAllowed > now) return
      this.#empty.delete(group)
      if (group.sites === 0) this.#groups.delete(group.id)
    }
  }

  async #save(site: Site, groups: readonly GroupPace[], waitUntil: Millis, pause: Pause): Promise<void> {
    const { ledger, onFailure } = this.#parts
    const rows = [ledger.saveWait(ownTurn(site), waitUntil, pause.ownMs)]
    if (pause.groupMs > 0)
      for (const { id, nextAllowed } of groups) rows.push(ledger.saveWait(id, nextAllowed, pause.groupMs))
    await Promise.all(rows).catch(onFailure)
  }
}
