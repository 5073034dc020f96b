/**
 * Which agent has which part of a routing table. An agent keeps its part as long as it is here, by name,
 * whichever of its lives; one that has none takes that of an earlier process of its machine, or the first
 * that nobody has. What is bound is in the ledger, so the next coordinator goes on with it.
 */
import { LIMITS, type Millis } from '../../../model/index.js'
import type { AgentView } from '../index.js'

/** `wait`: its agent is expected. `none`: nobody has it, and its sites go to whoever is here. */
export type PartOwner = AgentView | 'wait' | 'none'

/**
 * The agents that a crawl starts itself are threads of one process: `agent-1`. Others join as `host:process`.
 */
export function machineOf(name: string): string {
  return name.slice(0, Math.max(0, name.lastIndexOf(':')))
}

export class PartOwners {
  readonly #now: () => Millis
  #names: string[]
  #owners: PartOwner[]
  /** When each part was last seen in the hands of somebody; the beginning for those that never were. */
  #seenAt: Millis[] | null = null
  #changed = false

  constructor(parts: number, now: () => Millis, names: readonly string[] = []) {
    this.#now = now
    this.#names = Array.from({ length: parts }, (_, part) => names[part] ?? '')
    this.#owners = new Array<PartOwner>(parts).fill('wait')
  }

  /** Names of the owners, part by part; empty where there is none. */
  restore(names: readonly string[]): void {
    if (names.length === this.#names.length) this.#names = [...names]
  }

  /** The names, when they have changed since this was last asked. */
  takeChanged(): readonly string[] | null {
    const names = this.#changed ? [...this.#names] : null
    this.#changed = false
    return names
  }

  of(part: number): PartOwner {
    return this.#owners[part] ?? 'none'
  }

  /** The part of an agent; -1 when it has none. */
  partOf({ name }: AgentView): number {
    return this.#names.indexOf(name)
  }

  meet(agents: readonly AgentView[]): void {
    const now = this.#now()
    const seenAt = this.#seenAt ?? this.#names.map(() => now)
    this.#seenAt = seenAt
    const here = new Map(agents.map(agent => [agent.name, agent]))
    const idle = agents.filter(agent => this.partOf(agent) < 0).sort((a, b) => (a.name < b.name ? -1 : 1))
    for (const [part, name] of this.#names.entries()) {
      const isLate = now - seenAt[part] >= LIMITS.partGraceMs
      // A part that never had an owner is for whoever comes first; one whose owner is away is kept for it a
      // while.
      const isFree = name === '' || isLate
      const heir = here.has(name) ? undefined : (takeOf(name, idle) ?? (isFree ? idle.shift() : undefined))
      if (heir) {
        this.#names[part] = heir.name
        this.#changed = true
      }
      const owner = here.get(this.#names[part])
      if (owner) seenAt[part] = now
      this.#owners[part] = owner ?? (isLate ? 'none' : 'wait')
    }
  }
}

/** One of the machine of an agent that is away: it is what the part was made for. */
function takeOf(name: string, idle: AgentView[]): AgentView | undefined {
  const machine = machineOf(name)
  const at = machine === '' ? -1 : idle.findIndex(agent => machineOf(agent.name) === machine)
  return at < 0 ? undefined : idle.splice(at, 1)[0]
}
