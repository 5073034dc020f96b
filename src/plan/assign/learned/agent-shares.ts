/**
 * The sizes of the parts of a routing table if the user has not set them: in proportion to the abilities of
 * the agents. The scarcest of speed, lanes, memory and disk decides. The speed is what an agent got
 * through while it was busy; its free CPU would depend on the sites it had. Agents of one machine count as
 * equal, and a machine is recognised by its name, whatever the names of its processes.
 */
import { machineOf } from './part-owners.js'

/** The measured abilities of an agent. */
export interface AgentAbility {
  readonly name: string
  /** The number of sites it crawls at the same time. */
  readonly lanes: number
  /** Pages per busy second. */
  readonly speed: number
  /** The scarcer of free memory and disk: 1 if there is enough, less if under a tenth is free. */
  readonly room: number
}

/** Agents whose abilities differ by less than this factor count as equal, because measurements vary. */
const LEAST_DIFFERENCE = 2
/** The slowest agent gets at least this share of the fastest agent's. */
const LEAST_SHARE = 1 / 16

/** One share for each name; the largest is 1. An agent of an unknown machine gets the average. */
export function sharesOf(names: readonly string[], known: readonly AgentAbility[]): number[] {
  const wanted = new Set(names.map(machineOf))
  const machines = [...wanted].flatMap(machine => meanOf(machine, known) ?? [])
  if (machines.length === 0) return names.map(() => 1)
  const most = (of: (ability: AgentAbility) => number) => Math.max(...machines.map(of))
  const lanes = most(machine => machine.lanes)
  const speed = most(machine => machine.speed)
  const worth = new Map(
    machines.map(each => [
      each.name,
      Math.max(LEAST_SHARE, Math.min(each.lanes / lanes, each.speed / speed, each.room)),
    ]),
  )
  const usual = [...worth.values()].reduce((sum, share) => sum + share, 0) / worth.size
  const shares = names.map(name => worth.get(machineOf(name)) ?? usual)
  const largest = Math.max(...shares)
  if (largest < LEAST_DIFFERENCE * Math.min(...shares)) return names.map(() => 1)
  return shares.map(share => Math.round((100 * share) / largest) / 100)
}

/** The mean ability of the agents of a machine, under its name; null if none is known. */
function meanOf(machine: string, known: readonly AgentAbility[]): AgentAbility | null {
  const own = known.filter(({ name }) => machineOf(name) === machine)
  if (own.length === 0) return null
  const mean = (of: (ability: AgentAbility) => number) =>
    own.reduce((sum, ability) => sum + of(ability), 0) / own.length
  return {
    name: machine,
    lanes: mean(({ lanes }) => lanes),
    speed: mean(({ speed }) => speed),
    room: mean(({ room }) => room),
  }
}
