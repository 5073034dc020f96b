/** The agents for a repartition: the share of each, and their distances from each other. */

import type { AgentRow, Incarnation, Ledger } from '../../ledger/index.js'
import type { Millis } from '../../model/index.js'
import type { AgentView } from '../../plan/assign/index.js'
import { PART_OWNERS, type PlacedAgent } from '../../plan/assign/learned/index.js'

/** The capacity of a busy agent counts as at least this much: the sites it is busy with may move. */
const LEAST_CAPACITY = 1 / 2

/** The part of a heartbeat status about bandwidth and other agents. */
interface NetworkStatus {
  readonly load?: { readonly bandwidthFree: number | null; readonly bytesPerSecond: number } | null
  readonly peers?: Readonly<Record<Incarnation, { readonly rttMs: Millis; readonly bytesPerSecond: number }>>
}

export async function placedAgents(
  ledger: Ledger,
  agents: readonly AgentView[],
  parts: readonly number[] | undefined,
): Promise<PlacedAgent[]> {
  const { [PART_OWNERS]: owners = '[]' } = await ledger.settings()
  const shares = sharesOf(agents, parts, JSON.parse(owners) as string[])
  const statuses = new Map((await ledger.agents()).map(row => [row.incarnation, statusOf(row)]))
  const names = new Map(agents.map(({ name, incarnation }) => [incarnation, name]))
  return agents.map(({ name, incarnation, lanes }, i) => {
    const { load, peers = {} } = statuses.get(incarnation) ?? {}
    const byName = Object.entries(peers).flatMap(([incarnation, peer]) => {
      const other = names.get(Number(incarnation))
      return other === undefined ? [] : [[other, peer] as const]
    })
    return {
      name,
      lanes,
      share: shares[i],
      bytesPerSecond: bandwidthOf(load),
      peers: Object.fromEntries(byName),
    }
  })
}

/**
 * With `--parts`, an agent has the share of the part it owns, or else of a part without an owner here.
 * Without `--parts`, the share is its capacity (D13).
 */
function sharesOf(
  agents: readonly AgentView[],
  parts: readonly number[] | undefined,
  owners: readonly string[],
): number[] {
  if (parts === undefined)
    return agents.map(({ lanes, capacity }) => Math.max(1, lanes) * Math.max(LEAST_CAPACITY, capacity))
  const here = new Set(agents.map(({ name }) => name))
  const free = parts.filter((_, part) => !here.has(owners[part] ?? ''))
  const usual = parts.reduce((sum, share) => sum + share, 0) / parts.length
  return agents.map(({ name }) => parts[owners.indexOf(name)] ?? free.shift() ?? usual)
}

function statusOf({ status }: AgentRow): NetworkStatus {
  return JSON.parse(status || '{}') as NetworkStatus
}

/** Computed from the used and the free part; undefined if unknown. */
function bandwidthOf(load: NetworkStatus['load']): number | undefined {
  if (!load || load.bandwidthFree === null || load.bandwidthFree >= 1 || load.bytesPerSecond === 0)
    return undefined
  return load.bytesPerSecond / (1 - load.bandwidthFree)
}
