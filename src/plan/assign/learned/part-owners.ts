import { LIMITS, type Millis } from '../../../model/index.js'
import type { AgentView, PartPlan } from '../index.js'

/**
 * `wait`: the owner is absent and may return. `none`: the part has no owner, and any agent may take its
 * sites.
 */
export type PartOwner = AgentView | 'wait' | 'none'

/**
 * The host of an agent named `host:process`; empty for a thread of the crawl's own process, such as
 * `agent-1`.
 */
export function machineOf(name: string): string {
  return name.slice(0, Math.max(0, name.lastIndexOf(':')))
}

/**
 * The owners of the parts of a routing table. An agent keeps its part across incarnations, because owners are
 * known by name. An agent without a part takes one of an absent agent of its machine, else the first free
 * part. The ledger stores the names, so the next coordinator continues with them.
 */
export class PartOwners implements PartPlan {
  readonly #now: () => Millis
  #names: string[]
  #owners: PartOwner[]
  /** When the owner of each part was last present; for parts without an owner, the first `meet`. */
  #seenAt: Millis[] | null = null
  #changed = false

  constructor(parts: number, now: () => Millis) {
    this.#now = now
    this.#names = new Array<string>(parts).fill('')
    this.#owners = new Array<PartOwner>(parts).fill('wait')
  }

  restore(names: readonly string[]): void {
    if (names.length === this.#names.length) this.#names = [...names]
  }

  takeChanged(): readonly string[] | null {
    const names = this.#changed ? [...this.#names] : null
    this.#changed = false
    return names
  }

  of(part: number): PartOwner {
    return this.#owners[part] ?? 'none'
  }

  /** The part of an agent; -1 if it has none. */
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
      // A part is kept for its absent owner for a while; a part that never had an owner is free at once.
      const isFree = name === '' || isLate
      const next = here.has(name) ? undefined : (takeOf(name, idle) ?? (isFree ? idle.shift() : undefined))
      if (next) {
        this.#names[part] = next.name
        this.#changed = true
      }
      const owner = here.get(this.#names[part])
      if (owner) seenAt[part] = now
      this.#owners[part] = owner ?? (isLate ? 'none' : 'wait')
    }
  }
}

/** Takes an idle agent of the same machine: the part was sized for that machine. */
function takeOf(name: string, idle: AgentView[]): AgentView | undefined {
  const machine = machineOf(name)
  const at = machine === '' ? -1 : idle.findIndex(agent => machineOf(agent.name) === machine)
  return at < 0 ? undefined : idle.splice(at, 1)[0]
}
