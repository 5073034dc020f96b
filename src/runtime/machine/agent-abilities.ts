/**
 * What the agents of a crawl can do, measured from their heartbeats: pages per busy time of their thread, and
 * the free memory and disk of their machines. The next crawl makes parts of these sizes.
 */

import type { AgentRow, Ledger } from '../../ledger/index.js'
import type { Millis } from '../../model/index.js'
import type { AgentAbility } from '../../plan/assign/learned/index.js'
import { AGENT_ABILITIES_LEAST_PAGES, AGENT_ABILITIES_LOOK_MS } from '../limits.js'

/** A free share of 1 / `ENOUGH` of memory or disk counts as enough (D13, as in `monitor.ts`). */
const ENOUGH = 10

interface Entry {
  readonly name: string
  readonly lanes: number
  /** The time of its last heartbeat, by the ledger's clock, and its pages by then. */
  readonly at: Millis
  readonly pages: number
  readonly busyMs: Millis
  readonly done: number
  readonly room: number
}

/** What is read of a heartbeat (`cluster/agent/heartbeat/heartbeat-status.ts`). */
interface Status {
  readonly pages?: number
  readonly load?: { readonly cpuIdle: number; readonly memoryFree: number; readonly diskFree: number } | null
}

export class AgentAbilities {
  readonly #ledger: Pick<Ledger, 'agents'>
  readonly #now: () => Millis
  /** By incarnation: an agent that starts again counts its pages from 0. */
  readonly #entries = new Map<number, Entry>()
  #lookAt: Millis = 0

  /** `now` is monotonic. */
  constructor(ledger: Pick<Ledger, 'agents'>, now: () => Millis) {
    this.#ledger = ledger
    this.#now = now
  }

  async update(): Promise<void> {
    if (this.#now() < this.#lookAt) return
    this.#lookAt = this.#now() + AGENT_ABILITIES_LOOK_MS
    for (const row of await this.#ledger.agents()) if (row.lanes > 0) this.#read(row)
  }

  /** The abilities of agents that have fetched enough pages; all incarnations of an agent count together. */
  abilities(): AgentAbility[] {
    const byName = new Map<string, Entry>()
    for (const entry of this.#entries.values()) {
      const known = byName.get(entry.name)
      const { busyMs, done } = known ?? { busyMs: 0, done: 0 }
      byName.set(entry.name, { ...entry, busyMs: entry.busyMs + busyMs, done: entry.done + done })
    }
    const judged = [...byName.values()].filter(
      ({ busyMs, done }) => busyMs > 0 && done >= AGENT_ABILITIES_LEAST_PAGES,
    )
    return judged.map(({ name, lanes, busyMs, done, room }) => ({
      name,
      lanes,
      speed: Math.max(0.01, Math.round((100_000 * done) / busyMs) / 100),
      room,
    }))
  }

  #read({ name, incarnation, lanes, heartbeatAt, status }: AgentRow): void {
    const { pages = 0, load = null } = JSON.parse(status) as Status
    const known = this.#entries.get(incarnation)
    if (load === null || (known && heartbeatAt <= known.at)) return
    const passedMs = known ? heartbeatAt - known.at : 0
    this.#entries.set(incarnation, {
      name,
      lanes,
      at: heartbeatAt,
      pages,
      busyMs: (known?.busyMs ?? 0) + passedMs * (1 - load.cpuIdle),
      done: (known?.done ?? 0) + (known ? pages - known.pages : 0),
      room: Math.round(100 * Math.min(1, ENOUGH * load.memoryFree, ENOUGH * load.diskFree)) / 100,
    })
  }
}
