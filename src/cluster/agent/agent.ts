/**
 * One agent: the crawl loop of one process. Read `lane/lane.ts` first, then this file.
 *
 * The coordinator leases waiting cells to the agent, or the agent claims its own cells by the plan of phases
 * or by a routing table. It opens each cell and lets a lane visit its URLs. What the lanes fetch goes into
 * the open pack, and the transmitter ships packs. A cell whose queue is empty and whose last pack is
 * committed is finished. When no cell is left anywhere, the coordinator ends the crawl.
 */
import { type CellId, sleep } from '../../model/index.js'
import { AgentEvents } from './agent-events.js'
import type { AgentParts } from './agent-parts.js'
import type { SiteTasks } from './cells/index.js'
import { HEARTBEAT_MS } from './heartbeat/index.js'
import type { SiteCrawl } from './site/index.js'

/** `ended`: the crawl is closed; the ledger says why. */
export type AgentEnd = 'ended' | 'stopped'

export class Agent {
  readonly #parts: AgentParts
  readonly #tasks: SiteTasks
  readonly #events: AgentEvents

  constructor(parts: AgentParts) {
    const { siteWork, transmitter, stopping } = parts
    this.#parts = parts
    this.#events = new AgentEvents(parts)
    this.#tasks = {
      run: site => siteWork.run(site),
      lose: sites => transmitter.lose(sites),
      closed: site => this.#siteClosed(site),
    }
    stopping.signal.addEventListener('abort', () => this.#wakeSites(), { once: true })
  }

  get sites(): ReadonlyMap<CellId, SiteCrawl> {
    return this.#parts.heldCells.sites
  }

  async run(): Promise<AgentEnd> {
    const { bus, clock, stopping, wake, heldCells, offer, transmitter, heartbeats, shards } = this.#parts
    const events = this.#events
    const unsubscribe = bus.subscribe(message => events.receive(message))
    const status = () => events.status()
    const beating = heartbeats.run(status, (beat, sent) => {
      shards?.gates.measured(sent, beat.now)
      events.apply(beat)
    })
    try {
      for (;;) {
        await this.#claimCells()
        await heldCells.open(this.#tasks)
        if (events.hasEnded || stopping.signal.aborted) break
        offer.send()
        await wake.wait(HEARTBEAT_MS)
        if (events.gatherMs >= 1) await sleep(clock, events.gatherMs)
        stopping.throwIfFailed()
      }
      await this.#drain()
      await transmitter.seal()
      stopping.throwIfFailed()
      return events.hasEnded ? 'ended' : 'stopped'
    } finally {
      unsubscribe()
      stopping.stop()
      await this.#drain()
      await beating
      await heartbeats.end(status)
      shards?.gates.end()
    }
  }

  /** Commits what was fetched and ends; what is queued stays queued. */
  stop(): void {
    this.#parts.stopping.stop()
  }

  /** The grouping of sites has changed: releases every site after its request, to be opened anew. */
  reopenAll(): void {
    this.#parts.release.release(() => true)
  }

  /** Claims cells under `phases` or with a routing table; otherwise the coordinator grants cells. */
  async #claimCells(): Promise<void> {
    const { shards, routes, stopping, offer, heldCells, turns } = this.#parts
    if (stopping.signal.aborted || (shards === null && routes === null)) return
    const free = offer.offered
    const hasClaimed = await (shards?.claimer.claim(free, heldCells.cells()) ??
      routes?.claim(free, group => turns.isPassedOn(group)))
    if (hasClaimed) heldCells.recheck()
  }

  #siteClosed(site: SiteCrawl): void {
    const { slices, laneCount } = this.#parts
    if (site.mode.is === 'leaving' && site.mode.to === 'slice') slices.waitingCells++
    // Sites that linger wait for links from sites at work: now there are none.
    if (laneCount.busy === 0) this.#wakeSites()
  }

  #wakeSites(): void {
    for (const site of this.sites.values()) site.wake.notify()
  }

  /** Waits until no cell is held. */
  async #drain(): Promise<void> {
    const { heldCells, stopping, wake } = this.#parts
    while (heldCells.count > 0 && !stopping.hasFailed) {
      this.#wakeSites()
      await wake.wait(HEARTBEAT_MS)
    }
  }
}
