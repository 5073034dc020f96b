import { readFileSync } from 'node:fs'
import { childrenOf } from './peak-rss.js'

/** Ticks of the kernel's statistics. */
const TICKS_PER_SECOND = 100

/** CPU seconds of a process that still runs, of its children, and of those that have ended. */
export function cpuSecondsOf(pid: number): number {
  const own = ticksOf(pid)
  const children = childrenOf(pid).reduce((sum, child) => sum + cpuSecondsOf(child), 0)
  return own / TICKS_PER_SECOND + children
}

/** User and system time, its own and that of children it has waited for. */
function ticksOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
  } catch {
    return 0
  }
}
