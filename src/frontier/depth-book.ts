/**
 * Depths of a cell's URLs, kept only with `--max-depth`. A URL found again by a shorter path may bring pages into reach
 * that were too deep before: it is opened again if it was itself too deep, and its page's links are wanted once more
 * if it was fetched.
 */
import type { Restored } from './rebuild-cell.js'

interface Known {
  depth: number
  queued: boolean
  again: boolean
}

export class DepthBook {
  readonly #maxDepth: number
  readonly #known = new Map<string, Known>()

  constructor(maxDepth: number) {
    this.#maxDepth = maxDepth
  }

  /** True when nothing changes by finding the URL at `depth`. */
  knows(url: string, depth: number): boolean {
    const known = this.#known.get(url)
    return known !== undefined && known.depth <= depth
  }

  add(url: string, depth: number): void {
    this.#known.set(url, { depth, queued: true, again: false })
  }

  /** A known URL came at `depth`; true when it has to join the queue once more. */
  falls(url: string, depth: number): boolean {
    const known = this.#known.get(url)
    if (!known || known.depth <= depth) return false
    known.again ||= !known.queued && known.depth <= this.#maxDepth
    known.depth = depth
    // Still queued: it leaves the queue with its new depth.
    if (known.queued) return false
    known.queued = true
    return true
  }

  /** What a URL leaves the queue with. */
  take(url: string): { depth: number; again: boolean } {
    const known = this.#known.get(url)!
    const { depth, again } = known
    known.queued = false
    known.again = false
    return { depth, again }
  }

  putBack(url: string): void {
    const known = this.#known.get(url)
    if (known) known.queued = true
  }

  restore(url: string, depth: number, how: Restored | null): void {
    const known = this.#known.get(url)
    if (known) known.depth = Math.min(known.depth, depth)
    else this.#known.set(url, { depth, queued: how !== null, again: how?.again ?? false })
  }
}
