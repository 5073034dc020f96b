import type { SeededRandom } from '../../model/index.js'
import { bisectRecursively } from './bisection.js'
import { communities } from './coarsen/index.js'
import { carryDown, coarsen, type Hierarchy, refine, uncoarsen } from './multilevel.js'
import {
  type Effort,
  isBetter,
  type Level,
  type Outcome,
  outcomeOf,
  Placement,
  pack,
  type Room,
  type Workspace,
} from './state/index.js'

/**
 * A few partitions from scratch, then children of two of them, as long as the work budget lasts. A child
 * keeps what its parents agree on: only vertices that share a part in both may be clustered, so it starts as
 * good as the better parent and can only gain.
 */
export class Evolution {
  readonly #workspace: Workspace
  readonly #level: Level
  readonly #room: Room
  readonly #effort: Effort
  readonly #random: SeededRandom
  readonly #population: Outcome[] = []
  #labels: Int32Array | null = null
  /** The best partition made from scratch without and with communities. */
  readonly #bestWith: [Outcome | null, Outcome | null] = [null, null]
  #runs = 0

  constructor(workspace: Workspace, level: Level, room: Room, effort: Effort, random: SeededRandom) {
    this.#workspace = workspace
    this.#level = level
    this.#room = room
    this.#effort = effort
    this.#random = random
  }

  /**
   * Runs until the budget is spent, time is up or nothing improves any more. `start` joins the population.
   * Returns the population, the best partition first.
   */
  run(start: readonly Outcome[]): readonly Outcome[] {
    const { population, scratchShare, patience, maxRuns } = this.#effort
    const budget = this.#effort.budget / costOfPin(this.#room.k)
    const workspace = this.#workspace
    const begin = workspace.work
    for (const one of start) this.#population.push(this.#balance(one))
    let best = start.length === 0 ? null : this.#leader()
    let runCost = 0
    let idle = 0
    for (let run = 0; run < maxRuns && idle < patience; run++) {
      const spent = workspace.work - begin
      if (best !== null && (workspace.isExpired() || spent + runCost / 2 >= budget || isPerfect(best))) break
      const size = runCost === 0 ? 1 : Math.min(population, Math.floor((budget / runCost) * scratchShare))
      if (run === 0 || this.#population.length < size) this.#population.push(this.#fromScratch())
      else this.#breed()
      if (run === 0) runCost = workspace.work - begin
      const leader = this.#leader()
      idle = isBetter(leader, best) ? 0 : idle + 1
      best = leader
    }
    return [best!, ...this.#population.filter(one => one !== best)]
  }

  #leader(): Outcome {
    let best = this.#population[0]
    for (const one of this.#population) if (isBetter(one, best)) best = one
    return best
  }

  #fromScratch(): Outcome {
    const { k, caps } = this.#room
    const within = this.#likesCommunities()
    const hierarchy = this.#coarsen(within ? this.#communityLabels() : null, false)
    const coarsest = hierarchy.levels[hierarchy.levels.length - 1]
    const tries = Math.max(1, Math.floor(this.#effort.initialTries / k))
    let best: Outcome | null = null
    for (let attempt = 0; attempt < tries; attempt++) {
      if (best !== null && this.#workspace.isExpired()) break
      const parts = bisectRecursively(this.#workspace, coarsest, this.#room, 0, k, this.#effort, this.#random)
      const placement = new Placement(this.#workspace, coarsest, k, parts, caps)
      if (tries > 1) refine(placement, this.#effort, this.#random)
      const outcome = outcomeOf(placement)
      if (isBetter(outcome, best)) best = outcome
    }
    const made = this.#balance(
      uncoarsen(this.#workspace, hierarchy, k, best!.parts, caps, this.#effort, this.#random),
    )
    const which = within ? 1 : 0
    if (isBetter(made, this.#bestWith[which])) this.#bestWith[which] = made
    return made
  }

  /** Where moves and swaps found no balance, a packing may: close to the partition, else by weight alone. */
  #balance(outcome: Outcome): Outcome {
    const { k, caps } = this.#room
    let best = outcome
    for (const homes of [outcome.parts, null]) {
      if (best.overload === 0) break
      const packing = pack(this.#level, k, caps, homes)
      this.#workspace.spend(this.#level.vertexCount * k)
      if (packing.overload >= best.overload) continue
      const placement = new Placement(this.#workspace, this.#level, k, packing.parts, caps)
      refine(placement, this.#effort, this.#random)
      best = outcomeOf(placement)
    }
    return best
  }

  /**
   * Communities help graphs whose ratings mislead, and cost others: both ways are tried, then the better one.
   * First with them, because where the budget allows one run only that was better on most sets that we tried.
   * They take too long for `fast`.
   */
  #likesCommunities(): boolean {
    if (this.#effort.maxRuns === 1) return false
    const [without, within] = this.#bestWith
    return within === null || (without !== null && isBetter(within, without))
  }

  #breed(): void {
    const a = this.#pick()
    const b = this.#pick()
    const [mother, father] = isBetter(a, b) ? [a, b] : [b, a]
    const child = this.#child(mother, mother === father ? null : father)
    let worst = 0
    for (let i = 1; i < this.#population.length; i++)
      if (isBetter(this.#population[worst], this.#population[i])) worst = i
    const twin = this.#population.findIndex(one => one.km1 === child.km1 && one.overload === child.overload)
    if (twin >= 0) this.#population[twin] = child
    else if (isBetter(child, this.#population[worst])) this.#population[worst] = child
  }

  /** The better one of two. */
  #pick(): Outcome {
    const a = this.#population[Math.floor(this.#random.next() * this.#population.length)]
    const b = this.#population[Math.floor(this.#random.next() * this.#population.length)]
    return isBetter(a, b) ? a : b
  }

  /** One more pass over a partition, with the freedom that a second one suggests. */
  #child(mother: Outcome, father: Outcome | null): Outcome {
    const labels = mother.parts.slice()
    if (father !== null) for (let v = 0; v < labels.length; v++) labels[v] += father.parts[v] * this.#room.k
    const hierarchy = this.#coarsen(labels, true)
    let parts: Int32Array = mother.parts.slice()
    for (let i = 0; i < hierarchy.maps.length; i++)
      parts = carryDown(parts, hierarchy.maps[i], hierarchy.levels[i + 1].vertexCount)
    const { k, caps } = this.#room
    const child = uncoarsen(this.#workspace, hierarchy, k, parts, caps, this.#effort, this.#random)
    return isBetter(child, mother) ? child : mother
  }

  #communityLabels(): Int32Array {
    if (this.#labels !== null) return this.#labels
    const { labels, work } = communities(this.#level)
    this.#workspace.spend(work)
    this.#labels = labels
    return labels
  }

  #coarsen(labels: Int32Array | null, strict: boolean): Hierarchy {
    // Web graphs want a smaller coarsest level, circuits a larger one: each second run goes deeper.
    const { coarsestSize, coarsestPerPart } = this.#effort
    const depth = this.#runs++ % 2 === 0 ? 1 : 2
    const stopAt = Math.floor(Math.max(coarsestSize, coarsestPerPart * this.#room.k) / depth)
    return coarsen(this.#workspace, this.#level, stopAt, this.#effort, labels, strict, this.#random)
  }
}

function isPerfect(outcome: Outcome): boolean {
  return outcome.km1 === 0 && outcome.overload === 0
}

/**
 * A pin costs more to touch the more parts it may go to. Form and figure are fitted to the bench: K = 64 in
 * its time.
 */
function costOfPin(k: number): number {
  return 1 + (k / 160) ** 2
}
