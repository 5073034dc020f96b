/** This machine and this thread, as the monitor of an agent reads them. */
import { statfsSync } from 'node:fs'
import { freemem, totalmem } from 'node:os'
import { performance } from 'node:perf_hooks'
import { type Gauges, readNetworkCounters } from '../runtime/index.js'

/** `directory` says which disk counts. */
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
