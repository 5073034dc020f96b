/**
 * The machine's own line: what comes in over its network interfaces, and what they can carry, where the
 * system tells (Linux; a virtual interface often does not know its speed). What stays inside the machine is
 * no part of it.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface NetworkCounters {
  /** Received since the machine started. */
  readonly bytes: number
  /** What all interfaces together can carry. */
  readonly bytesPerSecond: number
}

const BITS = 8
const MEGA = 1e6

/** Null where the system does not say. */
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
