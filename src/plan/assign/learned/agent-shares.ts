/**
 * How large the parts of a routing table are made where nobody has said so: as large as their agents are able
 * (H, D13). What an agent has left of its processor at a moment says more of the sites it had than of its
 * machine, so what counts is what it got through while it was busy; besides that its lanes, and the memory
 * and disk of its machine. The scarcest decides. Agents of one machine are alike, and a machine is known
 * again by its name, whatever its processes are called.
 */
import { machineOf } from './part-owners.js'

/** What an agent was found able to do. */
export interface AgentAbility {
  readonly name: string
  /** Sites it crawls at the same time. */
  readonly lanes: number
  /** Pages in a second of work. */
  readonly speed: number
  /** Of memory and disk, whichever is scarcer: 1 where there is enough, less from a tenth on (D13). */
  readonly room: number
}

/**
 * Agents whose abilities differ by less are alike: what is measured is never quite the same. As in `hash.ts`.
 */
const NOTED_DIFFERENCE = 2
/** However slow, an agent is worth that much of the quickest: it is here. */
const LEAST_SHARE = 1 / 16

/**
 * One share for each name, the largest 1; an agent of an unknown machine is taken to be as the others are on
 * average.
 */
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
  if (largest < NOTED_DIFFERENCE * Math.min(...shares)) return names.map(() => 1)
  return shares.map(share => Math.round((100 * share) / largest) / 100)
}

/** Of the agents of one machine, called by its name; null where none is known. */
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
