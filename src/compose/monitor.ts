/**
 * What an agent has left of its machine (D4, D13). A busy one is given fewer sites, long before it is too late with its
 * heartbeats and taken for dead.
 */
import { statfsSync } from 'node:fs'
import { freemem, totalmem } from 'node:os'
import { performance } from 'node:perf_hooks'
import type { Clock, Millis } from '../model/clock.js'

export interface MonitorParts {
  readonly lanes: number
  readonly directory: string
  readonly clock: Clock
}

/** What was measured last; shares are of 1. */
export interface MachineLoad {
  /** Time in which this agent's thread had nothing to do. */
  readonly cpuIdle: number
  readonly memoryFree: number
  readonly diskFree: number
}

const LOOK_MS = 1_000
/** Idle time below which an agent wants fewer sites; at none it still wants a quarter. */
const BUSY_BELOW = 0.2
const LEAST_SHARE = 1 / 4

export class Monitor {
  readonly #parts: MonitorParts
  #lookedAt: Millis = Number.NEGATIVE_INFINITY
  #loop = performance.eventLoopUtilization()
  #load: MachineLoad = { cpuIdle: 1, memoryFree: 1, diskFree: 1 }

  constructor(parts: MonitorParts) {
    this.#parts = parts
  }

  /** Sites at a time that it can do with, and a figure that orders agents by what they have to spare. */
  capacity(): { readonly lanes: number; readonly capacity: number } {
    const { cpuIdle, memoryFree, diskFree } = this.#look()
    const wanted = Math.max(LEAST_SHARE, Math.min(1, cpuIdle / BUSY_BELOW, memoryFree / 0.02))
    const lanes = Math.max(1, Math.ceil(this.#parts.lanes * wanted))
    // The scarcest counts. Two digits: agents that are about equal take turns.
    const scarcest = Math.min(cpuIdle, 10 * memoryFree, 10 * diskFree)
    return { lanes, capacity: Math.max(0.01, Math.round(scarcest * 100) / 100) }
  }

  #look(): MachineLoad {
    const now = this.#parts.clock.monotonic()
    if (now - this.#lookedAt < LOOK_MS) return this.#load
    this.#lookedAt = now
    const loop = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(loop, this.#loop)
    this.#loop = loop
    const disk = statfsSync(this.#parts.directory)
    this.#load = {
      cpuIdle: 1 - utilization,
      memoryFree: freemem() / totalmem(),
      diskFree: disk.bavail / disk.blocks,
    }
    return this.#load
  }
}
