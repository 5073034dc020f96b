/** The lane of a site: which one it is, and whether the site uses it now. */
import type { LaneCount } from './lane-count.js'

export class SiteLane {
  readonly #lanes: LaneCount
  #number: number
  #isHeld = true
  #isIdle = false
  #connections = 0
  /** Connections that wait for a turn that is far off. */
  #farOff = 0

  /** `last` is the number under the lease before; 0: any will do. */
  constructor(lanes: LaneCount, last: number) {
    this.#lanes = lanes
    this.#number = lanes.take(last)
  }

  /** From 1; while the site has no lane, the number of its last one. */
  get number(): number {
    return this.#number
  }

  get isHeld(): boolean {
    return this.#isHeld
  }

  /** True if nothing is ready and nothing is under way: the lane is free for another site. */
  get isIdle(): boolean {
    return this.#isIdle
  }

  setIdle(isIdle: boolean): void {
    this.#isIdle = isIdle
    this.#count()
  }

  /** Connections at work on the site. */
  get connections(): number {
    return this.#connections
  }

  connectionBegan(): void {
    this.#connections++
  }

  connectionEnded(): void {
    this.#connections--
  }

  /** Waits for a turn that is far off. While all connections wait, the lane is free for another site. */
  async farOff<T>(turn: Promise<T>): Promise<T> {
    this.#farOff++
    this.#count()
    const result = await turn
    this.#farOff--
    this.#count()
    return result
  }

  #count(): void {
    const isHeld = !this.#isIdle && (this.#farOff === 0 || this.#farOff < this.#connections)
    if (isHeld === this.#isHeld) return
    this.#isHeld = isHeld
    if (isHeld) this.#number = this.#lanes.take(this.#number)
    else this.#lanes.giveBack(this.#number)
  }
}
