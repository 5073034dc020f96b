/** What reaches an agent from outside: messages of the bus, and the answers to its heartbeats. */
import type { BusMessage, LaneStatus } from '../../bus/index.js'
import type { Heartbeat } from '../../ledger/index.js'
import { LIMITS, type Millis } from '../../model/index.js'
import type { AgentParts } from './agent-parts.js'
import { heartbeatStatus } from './heartbeat/index.js'

export class AgentEvents {
  readonly #parts: AgentParts
  #gatherMs: Millis = 0
  /** No other agent crawls, as of the last heartbeat. */
  #isAlone = true
  #hasEnded = false

  constructor(parts: AgentParts) {
    this.#parts = parts
  }

  /** How long changes are collected before the next round. It grows with the number of agents. */
  get gatherMs(): Millis {
    return this.#gatherMs
  }

  /** True if the crawl is closed. */
  get hasEnded(): boolean {
    return this.#hasEnded
  }

  receive(message: BusMessage): void {
    const { incarnation, wake, heldCells, slices, turns, release, routes, heartbeats } = this.#parts
    if ('to' in message && message.to !== incarnation) return
    switch (message.kind) {
      case 'leases':
        heldCells.recheck()
        slices.waitingCells = message.waiting
        wake.notify()
        break
      case 'inbox':
      case 'yours':
        this.#parts.inboxes.received(message.cells)
        break
      case 'wanted':
        turns.wanted(message.groups)
        break
      case 'turn-request':
        turns.wanted(message.groups)
        routes?.turnsRequested(message.groups)
        break
      case 'move':
        routes?.movedAway(message.cells)
        release.moveAway(message.cells, message.force)
        break
      case 'spare':
        this.#releaseSpare(message.groups)
        break
      case 'routes':
        if (routes !== null) heartbeats.beatNow()
        break
      case 'ended':
        heartbeats.beatNow()
        break
      case 'ping':
      case 'pong':
        this.#parts.probe.receive(message)
    }
  }

  #releaseSpare(groups: number): void {
    const spare = this.#parts.spareSites.pick(groups)
    this.#parts.release.release(site => spare.has(site))
  }

  /** The answer to a heartbeat: lost cells, new rows, new leases, settings, the end of the crawl. */
  apply(beat: Heartbeat): void {
    const { heldCells, transmitter, inboxes, slices, shards, routes, wake, probe } = this.#parts
    const lost = heldCells.compare(beat)
    if (lost.length > 0) transmitter.lose(lost)
    inboxes.compare(beat)
    if (!beat.crawlOpen) this.#hasEnded = true
    slices.waitingCells = beat.waiting
    shards?.claimer.apply(beat.waiting, heldCells.cells(), which => this.#parts.release.release(which))
    routes?.apply(beat, () => wake.notify())
    this.#gatherMs = beat.share > 0 ? LIMITS.gatherMsPerAgent / beat.share : 0
    this.#balanceBudget()
    this.#isAlone = beat.share >= 1
    if (!this.#isAlone) probe.look()
    wake.notify()
    this.#parts.checkpoint.apply(beat.settings)
    this.#parts.splitter.apply(!this.#isAlone)
    this.#parts.onHeartbeat(beat)
  }

  status(): LaneStatus {
    const { counters, offer, spareSites, heldCells, probe, waitingFor, checkpoint } = this.#parts
    const lanes = offer.status()
    // Without other agents nobody reads the load, so it is not computed.
    const sites = this.#isAlone
      ? { busySites: 0, workLeft: 0, spareGroups: 0 }
      : spareSites.load(heldCells.opening)
    return heartbeatStatus(counters, lanes, sites, probe.peers, waitingFor(), checkpoint.done)
  }

  /** Reserves pages if there are none, and gives them back if there is nothing to crawl. */
  #balanceBudget(): void {
    const { budget, heldCells, stopping } = this.#parts
    if (budget.exhausted) void budget.ask().catch(stopping.fail)
    else if (heldCells.count === 0) void budget.release().catch(stopping.fail)
  }
}
