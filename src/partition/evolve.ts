import type { SeededRandom } from '../model/random.js'
import { bisectRecursively, type Room } from './bisection.js'
import type { Level } from './level.js'
import { carryDown, coarsen, refine, uncoarsen } from './multilevel.js'
import { isBetter, type Outcome, outcomeOf } from './outcome.js'
import { Placement } from './placement.js'
import type { Effort } from './presets.js'
import type { Workspace } from './workspace.js'

/**
 * A few partitions from scratch, then children of two of them, as long as the work budget lasts. A child keeps what
 * its parents agree on: only vertices that share a part in both may be clustered, so it starts as good as the better
 * parent and can only gain.
 */
export class Evolution {
  readonly #workspace: Workspace
  readonly #level: Level
  readonly #room: Room
  readonly #effort: Effort
  readonly #random: SeededRandom
  readonly #population: Outcome[] = []

  constructor(workspace: Workspace, level: Level, room: Room, effort: Effort, random: SeededRandom) {
    this.#workspace = workspace
    this.#level = level
    this.#room = room
    this.#effort = effort
    this.#random = random
  }

  best(): Outcome {
    let best = this.#population[0]
    for (const one of this.#population) if (isBetter(one, best)) best = one
    return best
  }

  /** Runs until the budget is spent or `expired` says stop; at least one partition is made. */
  run(budget: number, expired: () => boolean): Outcome {
    const limit = this.#workspace.work + budget
    const before = this.#workspace.work
    this.#population.push(this.fromScratch())
    const cost = this.#workspace.work - before
    const size = Math.max(
      1,
      Math.min(this.#effort.population, Math.floor((budget / cost) * this.#effort.scratchShare)),
    )
    while (this.#workspace.work + cost * 0.5 < limit && !expired()) {
      if (this.#population.length < size) this.#population.push(this.fromScratch())
      else this.#breed()
    }
    return this.best()
  }

  fromScratch(): Outcome {
    const hierarchy = this.#coarsen(null)
    const coarsest = hierarchy.levels[hierarchy.levels.length - 1]
    let best: Outcome | null = null
    for (let attempt = 0; attempt < this.#effort.initialTries; attempt++) {
      const parts = bisectRecursively(
        this.#workspace,
        coarsest,
        this.#room,
        0,
        this.#room.k,
        this.#effort,
        this.#random,
      )
      const placement = new Placement(this.#workspace, coarsest, this.#room.k, parts, this.#room.caps)
      if (this.#effort.initialTries > 1) refine(placement, this.#effort, this.#random)
      const outcome = outcomeOf(placement)
      if (isBetter(outcome, best)) best = outcome
    }
    return this.#uncoarsen(hierarchy, best!.parts)
  }

  #breed(): void {
    const a = this.#pick()
    const b = this.#pick()
    const [mother, father] = isBetter(a, b) ? [a, b] : [b, a]
    const child = this.child(mother, mother === father ? null : father)
    let worst = 0
    for (let i = 1; i < this.#population.length; i++)
      if (isBetter(this.#population[worst], this.#population[i])) worst = i
    const twin = this.#population.findIndex(one => one.km1 === child.km1 && one.overload === child.overload)
    if (twin >= 0) this.#population[twin] = child
    else if (isBetter(child, this.#population[worst])) this.#population[worst] = child
  }

  #pick(): Outcome {
    const one = () => this.#population[Math.floor(this.#random.next() * this.#population.length)]
    const a = one()
    const b = one()
    return isBetter(a, b) ? a : b
  }

  /** One more pass over a partition, with the freedom that a second one suggests. */
  child(mother: Outcome, father: Outcome | null): Outcome {
    const labels = mother.parts.slice()
    if (father !== null) for (let v = 0; v < labels.length; v++) labels[v] += father.parts[v] * this.#room.k
    const hierarchy = this.#coarsen(labels)
    let parts: Int32Array = mother.parts.slice()
    for (let i = 0; i < hierarchy.maps.length; i++)
      parts = carryDown(parts, hierarchy.maps[i], hierarchy.levels[i + 1].vertexCount)
    const child = this.#uncoarsen(hierarchy, parts)
    return isBetter(child, mother) ? child : mother
  }

  #coarsen(labels: Int32Array | null) {
    const { coarsestSize, coarsestPerPart } = this.#effort
    const stopAt = Math.max(coarsestSize, coarsestPerPart * this.#room.k)
    return coarsen(this.#workspace, this.#level, stopAt, this.#effort, labels, this.#random)
  }

  #uncoarsen(hierarchy: ReturnType<typeof coarsen>, parts: Int32Array): Outcome {
    return uncoarsen(
      this.#workspace,
      hierarchy,
      this.#room.k,
      parts,
      this.#room.caps,
      this.#effort,
      this.#random,
    )
  }
}
