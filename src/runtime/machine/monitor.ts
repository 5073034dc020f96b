/**
 * Measures the free capacity of an agent's machine (D4, D13): processor, memory, disk and network. A busy
 * agent gets fewer sites, long before its heartbeats are so late that it counts as dead.
 */

import type { AgentCapacity, MachineLoad } from '../../cluster/agent/heartbeat/index.js'
import type { Clock, Millis } from '../../model/index.js'
import { MONITOR_LOOK_MS } from '../limits.js'
import type { NetworkCounters } from './machine-gauges.js'

/** Readings of the machine: counters that only grow, or present values. */
export interface Gauges {
  /** Share of the time since the last look in which this agent's thread had something to do. */
  busyShare(): number
  memoryFree(): number
  diskFree(): number
  /** The counters of the machine's network interface; null if they cannot be read. */
  line(): NetworkCounters | null
}

export interface MonitorParts {
  readonly lanes: number
  readonly clock: Clock
  readonly gauges: Gauges
  /** Payload bytes that this agent has received. */
  readonly receivedBytes: () => number
  /** Its part of `--bandwidth`, bytes a second; 0 is no limit. */
  readonly allowedBytes: () => number
}

/**
 * Below these free fractions an agent asks for fewer sites, but never for fewer than `LEAST_SHARE` of its
 * lanes.
 */
const BUSY_BELOW = { cpu: 0.2, memory: 0.02, disk: 0.01, bandwidth: 0.05 }
const LEAST_SHARE = 1 / 4

interface Reading {
  readonly at: Millis
  readonly received: number
  readonly line: NetworkCounters | null
}

export class Monitor {
  readonly #parts: MonitorParts
  /** Null before the first look. */
  #last: Reading | null = null
  #load: MachineLoad = { cpuIdle: 1, memoryFree: 1, diskFree: 1, bandwidthFree: null, bytesPerSecond: 0 }

  constructor(parts: MonitorParts) {
    this.#parts = parts
  }

  /** How many sites the agent can crawl at a time, and a figure that orders agents by free capacity. */
  capacity(): AgentCapacity {
    const load = this.load()
    const { cpuIdle, memoryFree, diskFree } = load
    // If the bandwidth is unknown, it is assumed to be free.
    const bandwidthFree = load.bandwidthFree ?? 1
    const wanted = Math.min(
      1,
      cpuIdle / BUSY_BELOW.cpu,
      memoryFree / BUSY_BELOW.memory,
      diskFree / BUSY_BELOW.disk,
      bandwidthFree / BUSY_BELOW.bandwidth,
    )
    const lanes = Math.max(1, Math.ceil(this.#parts.lanes * Math.max(LEAST_SHARE, wanted)))
    // The scarcest resource decides. Rounded to two digits, so that agents with nearly equal capacity take
    // turns.
    const scarcest = Math.min(cpuIdle, 10 * memoryFree, 10 * diskFree, bandwidthFree)
    return { lanes, capacity: Math.max(0.01, Math.round(scarcest * 100) / 100), load }
  }

  /** The load, measured at most once per `MONITOR_LOOK_MS`. */
  load(): MachineLoad {
    const { clock, gauges } = this.#parts
    const last = this.#last
    const passedMs = last === null ? 0 : clock.monotonic() - last.at
    if (last !== null && passedMs < MONITOR_LOOK_MS) return this.#load
    const now = this.#read()
    this.#last = now
    const busyShare = gauges.busyShare()
    if (last === null) return this.#load
    const bytesPerSecond = ((now.received - last.received) * 1000) / passedMs
    this.#load = {
      cpuIdle: share(1 - busyShare),
      memoryFree: share(gauges.memoryFree()),
      diskFree: share(gauges.diskFree()),
      bandwidthFree: this.#bandwidthFree(bytesPerSecond, last.line, now.line, passedMs),
      bytesPerSecond: Math.round(bytesPerSecond),
    }
    return this.#load
  }

  #read(): Reading {
    const { clock, gauges, receivedBytes } = this.#parts
    return { at: clock.monotonic(), received: receivedBytes(), line: gauges.line() }
  }

  /**
   * The free fraction of the user's bandwidth limit or of the machine's network, whichever is smaller; null
   * if neither is known.
   */
  #bandwidthFree(
    used: number,
    before: NetworkCounters | null,
    after: NetworkCounters | null,
    passedMs: Millis,
  ): number | null {
    const allowed = this.#parts.allowedBytes()
    const ofLimit = allowed > 0 ? 1 - used / allowed : null
    const ofLine =
      before && after ? 1 - ((after.bytes - before.bytes) * 1000) / passedMs / after.bytesPerSecond : null
    if (ofLimit === null && ofLine === null) return null
    return share(Math.min(ofLimit ?? 1, ofLine ?? 1))
  }
}

/** Limits `value` to 0 and 1 and rounds it to three digits. */
function share(value: number): number {
  return Math.round(Math.min(1, Math.max(0, value)) * 1000) / 1000
}
