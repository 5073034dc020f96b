/** This machine and this thread, as the monitor of an agent reads them. */
import { readdirSync, readFileSync, statfsSync } from 'node:fs'
import { freemem, totalmem } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import type { Gauges } from './monitor.js'

/** The disk is that of `directory`. */
export function machineGauges(directory: string): Gauges {
  let loop = performance.eventLoopUtilization()
  return {
    busyShare() {
      const before = loop
      loop = performance.eventLoopUtilization()
      return performance.eventLoopUtilization(loop, before).utilization
    },
    memoryFree: () => freemem() / totalmem(),
    diskFree() {
      const { bavail, blocks } = statfsSync(directory)
      return bavail / blocks
    },
    line: () => readNetworkCounters(),
  }
}

/** Bytes received over the network interfaces of the machine, and their speed, without loopback. */
export interface NetworkCounters {
  /** Received since the machine started. */
  readonly bytes: number
  /** The sum of the speeds of all interfaces. */
  readonly bytesPerSecond: number
}

const BITS = 8
const MEGA = 1e6

/** Null if the system does not report the speed: only Linux does, and not for many virtual interfaces. */
export function readNetworkCounters(root = '/'): NetworkCounters | null {
  let bytes = 0
  let bytesPerSecond = 0
  for (const name of interfaces(root)) {
    const megabits = numberIn(root, name, 'speed')
    if (megabits === null || megabits <= 0) continue
    bytesPerSecond += (megabits * MEGA) / BITS
    bytes += numberIn(root, name, 'statistics/rx_bytes') ?? 0
  }
  return bytesPerSecond > 0 ? { bytes, bytesPerSecond } : null
}

function interfaces(root: string): string[] {
  try {
    return readdirSync(join(root, 'sys/class/net')).filter(name => name !== 'lo')
  } catch {
    return []
  }
}

/** An interface that is down refuses to name its speed. */
function numberIn(root: string, name: string, file: string): number | null {
  try {
    const value = Number(readFileSync(join(root, 'sys/class/net', name, file), 'utf8'))
    return Number.isFinite(value) ? value : null
  } catch {
    return null
  }
}
