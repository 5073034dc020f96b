import type { SeededRandom } from '../../../model/index.js'
import type { Placement } from '../state/index.js'

/**
 * Moves every vertex that gains by it, by number from a random start (in random order each would miss the
 * cache); equal gains are taken when they even out the parts.
 */
export function refineByLabels(placement: Placement, rounds: number, random: SeededRandom): void {
  const { vertexCount, fixed } = placement.level
  for (let round = 0; round < rounds; round++) {
    let moves = 0
    const start = Math.floor(random.next() * vertexCount)
    for (let i = 0; i < vertexCount; i++) {
      const v = i + start < vertexCount ? i + start : i + start - vertexCount
      if (fixed[v] >= 0 || !placement.isBoundary(v)) continue
      const target = placement.nearestTarget(v)
      if (target < 0) continue
      const gain = placement.gain(v, target)
      if (gain < 0) continue
      if (gain === 0 && placement.fill(target) >= placement.fill(placement.parts[v])) continue
      placement.move(v, target, null)
      moves++
    }
    if (moves * 200 < vertexCount || placement.workspace.isExpired()) break
  }
}
