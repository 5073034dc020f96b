/**
 * The turns this agent holds: one pace for every group of the sites in hand. A cell's lease brings the turn
 * of the group it was filed under; all others (its addresses with `--group ip`, its domain when sites were
 * alone at first) are taken from the ledger by name, before the site's first request.
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
  /**
   * How the cells in the ledger are grouped, for as long as the crawl lives; at first also who shares a turn.
   */
  readonly grouping: Grouping
  /** All addresses of a host. */
  readonly resolve: (host: string) => Promise<readonly string[]>
  /** The least pause between two requests to a site, as set now. */
  readonly leastDelayMs: () => Millis
  readonly connectionsPerSite: () => number
  readonly leaseMs: Millis
  /** Ends when the agent stops asking. */
  readonly signal: StopSignal
  readonly onFailure: (error: Error) => void
  /** Where the clock says who may ask a site (`phases`); then turns only keep the pace. */
  readonly phases?: PhaseGates | null
  /** Another number only in tests. */
  readonly sitesPerAddress?: number
}

type KnownWaits = Pick<Lease, 'notBefore' | 'waitUntil' | 'delayMs'> & Partial<Pick<Lease, 'cell'>>

export class Turns {
  readonly #parts: TurnsParts
  readonly #groups = new Map<GroupId, GroupPace>()
  /** Groups without a site, in the order they lost the last. */
  readonly #empty = new Set<GroupPace>()
  readonly #sites = new Set<SitePace>()
  /** Hops, and the groups whose turns they have. */
  readonly #borrows = new Map<SitePace, GroupPace>()
  /** Paces of cells that are being given back. */
  readonly #leaving = new Set<SitePace>()
  /** Releases by name whose answers are not here yet. */
  readonly #releasing = new Map<GroupId, Promise<void>>()
  /** Of sites that have several cells. */
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
    // A site alone has nobody to share its turn with.
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

  /** Whose turn a site shares, as it is set now. */
  groupOf(site: Site): GroupId {
    return groupOf(site, this.#grouping)
  }

  /** The same with its addresses, where they count. */
  async groupsOf(site: Site): Promise<readonly GroupId[]> {
    const group = this.groupOf(site)
    return this.#grouping === 'ip' ? [group, ...(await this.#addressesOf(site))] : [group]
  }

  /** Who shares a turn from now on; true when that is news, and sites in hand have to be opened anew. */
  regroup(grouping: Grouping): boolean {
    // Phases are of groups: they stay as they were when the crawl began.
    if (this.#parts.phases) return false
    const isNews = grouping !== this.#grouping
    this.#grouping = grouping
    return isNews
  }

  /**
   * The pace of a site that need not be leased here: a hop of a robots.txt needs its turn too. Null while
   * another agent holds that. To be closed like the others, and never waited for while another turn is held.
   * Under `phases`, as one of the sites of that shard.
   */
  async borrow(site: Site, shard = 0): Promise<SitePace | null> {
    const { phases } = this.#parts
    if (phases) return this.#inPhase(site, shard, 0, { notBefore: 0, waitUntil: 0, delayMs: 0 })
    const own = await this.#takeTurn(ownTurn(site))
    if (own === null) return null
    this.#releaseTurn(ownTurn(site), 0)
    const id = groupOf(site, this.#grouping)
    // The turn is about to go back with a lease: who asks again has it after that, if nobody else has.
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
   * Whether the cell can be given back now: not while a hop is under way that has its turn from the same
   * lease. Where it can, no hop begins until it is closed, or `stays`.
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
   * The cell is released. Its domain's turn goes with the lease; what was taken by name is given back by
   * name.
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

  /**
   * How far off the turn of a group is for one more site, and how much farther for the next; null when it is
   * near.
   */
  backlogOf(group: GroupId): { readonly until: Millis; readonly spacingMs: Millis } | null {
    const pace = this.#groups.get(group)
    if (!pace) return null
    const now = this.#parts.clock.now()
    const until = pace.expectedAt(now)
    return until - now > LIMITS.groupWaitMs ? { until, spacingMs: pace.spacingMs } : null
  }

  /** Settings were changed: nobody waits out a longer delay than the one set now. */
  ease(delayMs: Millis): void {
    for (const group of this.#groups.values()) group.ease(delayMs)
    for (const site of this.#sites) site.ease(delayMs)
  }

  /** Needs no wait where addresses do not count. */
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

  /** What the cells of a site that are in hand keep to together. */
  #ownOf(site: Site, known: KnownWait): SiteWait {
    const now = this.#parts.clock.now()
    // Remembered as those of groups are: a cell that was leased before the last request to its site may not
    // know of it.
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

  /** In a fixed order, whatever the name server rotates: agents that want the same turns do not cross. */
  async #addressesOf(site: Site): Promise<readonly string[]> {
    const addresses = await this.#parts.resolve(hostOf(site))
    return [...addresses].sort().slice(0, LIMITS.addressesPerSite)
  }

  /** Null while another agent holds the turn. */
  async #enterByName(id: GroupId): Promise<GroupPace | null> {
    // Entered first: who leaves meanwhile does not give the turn back that we are about to get.
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
   * Waits for our own release of the same turn first: calls overtake each other (several connections, retries
   * after an outage), and a release that arrives after this call would free the turn while we use it.
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

  /** Those who wait for a group that is none are free to go. */
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
   * The last one out gives the turn back if anybody took it by name: a site whose lease was lost may leave
   * after a hop that did. A pace is remembered until its time is past: a cell granted meanwhile may not know
   * it from the ledger.
   */
  #exit(group: GroupPace): void {
    if (--group.sites > 0) return
    if (group.isNamed) this.#releaseTurn(group.id, group.nextAllowed)
    group.isNamed = false
    this.#empty.add(group)
    this.#forgetOld()
  }

  /** Looks only at those that are empty for longest, until one is still of use. */
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
