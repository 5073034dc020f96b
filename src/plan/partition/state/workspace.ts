import { VertexHeap } from './vertex-heap.js'

/**
 * The big arrays, taken once and used by one placement at a time, and the account of work done. Work is
 * counted in pins touched, not seconds, so that effort limits do not depend on the machine and a seed always
 * gives the same parts.
 */
export class Workspace {
  /**
   * In an array, where it is a double from the first: a field that turns into one makes V8 compile its users
   * again.
   */
  readonly #work = new Float64Array(1)
  /** Time is up: whoever is trying something may stop. */
  readonly isExpired: () => boolean
  #pinCounts: Uint16Array | Int32Array = new Uint16Array(0)
  #links = new Float64Array(0)
  #lone = new Float64Array(0)
  #heap = new VertexHeap(0)
  #heapSize = 0

  constructor(isExpired: () => boolean) {
    this.isExpired = isExpired
  }

  get work(): number {
    return this.#work[0]
  }

  spend(work: number): void {
    this.#work[0] += work
  }

  /** Two bytes each, as nearly all nets allow; four if a net is `large`. */
  pinCounts(length: number, large: boolean): Uint16Array | Int32Array {
    if (large && !(this.#pinCounts instanceof Int32Array)) this.#pinCounts = new Int32Array(length)
    else if (this.#pinCounts.length >= length) this.#pinCounts.fill(0, 0, length)
    else this.#pinCounts = large ? new Int32Array(length) : new Uint16Array(length)
    return this.#pinCounts
  }

  links(length: number): Float64Array {
    if (this.#links.length < length) this.#links = new Float64Array(length)
    else this.#links.fill(0, 0, length)
    return this.#links
  }

  lone(length: number): Float64Array {
    if (this.#lone.length < length) this.#lone = new Float64Array(length)
    else this.#lone.fill(0, 0, length)
    return this.#lone
  }

  heap(vertexCount: number): VertexHeap {
    if (this.#heapSize < vertexCount) {
      this.#heap = new VertexHeap(vertexCount)
      this.#heapSize = vertexCount
    }
    this.#heap.clear()
    return this.#heap
  }
}
