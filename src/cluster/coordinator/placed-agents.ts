/**
 * What is known of the agents that sites can be placed with: how much each is to have, and how far they are
 * from each other.
 */

import type { AgentRow, Incarnation, Ledger } from '../../ledger/index.js'
import type { Millis } from '../../model/index.js'
import type { AgentView } from '../../plan/assign/index.js'
import { PART_OWNERS, type PlacedAgent } from '../../plan/assign/learned/index.js'

/**
 * However busy it is now, an agent has this much of the share of one that is not: what it is busy with may
 * move.
 */
const LEAST_CAPACITY = 1 / 2

/** What an agent tells of its line and of the others with every heartbeat. */
interface Word {
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
  const words = new Map((await ledger.agents()).map(row => [row.incarnation, wordOf(row)]))
  const names = new Map(agents.map(({ name, incarnation }) => [incarnation, name]))
  return agents.map(({ name, incarnation, lanes }, i) => {
    const { load, peers = {} } = words.get(incarnation) ?? {}
    const byName = Object.entries(peers).flatMap(([incarnation, peer]) => {
      const other = names.get(Number(incarnation))
      return other === undefined ? [] : [[other, peer] as const]
    })
    return { name, lanes, share: shares[i], bytesPerSecond: lineOf(load), peers: Object.fromEntries(byName) }
  })
}

/**
 * `--parts` are told part by part: an agent has the share of the part it owns, who owns none one that is left
 * over. Without them an agent has as much as it is able to take now (D13).
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

function wordOf({ status }: AgentRow): Word {
  return JSON.parse(status || '{}') as Word
}

/** What is used now, and that is all but what is free; undefined where nobody knows. */
function lineOf(load: Word['load']): number | undefined {
  if (!load || load.bandwidthFree === null || load.bandwidthFree >= 1 || load.bytesPerSecond === 0)
    return undefined
  return load.bytesPerSecond / (1 - load.bandwidthFree)
}
