/** Cells bound to lanes, in memory. */
import type { CellId } from '../../model/index.js'
import type { LaneLoad, LaneName } from '../index.js'
import type { MemoryState } from './memory-state.js'

export function bindCells(
  { cells, bound }: MemoryState,
  bindings: readonly (LaneName & { readonly cell: CellId })[],
): void {
  for (const { cell, agent, lane } of bindings) if (cells.has(cell)) bound.set(cell, { agent, lane })
}

export function laneLoads({ cells, bound }: MemoryState): LaneLoad[] {
  const loads = new Map<string, LaneName & { cells: number; size: number }>()
  for (const [cell, { agent, lane }] of bound) {
    const { sizeEstimate, pages } = cells.get(cell)!
    const key = `${agent} ${lane}`
    const load = loads.get(key) ?? { agent, lane, cells: 0, size: 0 }
    load.cells++
    load.size += Math.max(1, sizeEstimate, pages)
    loads.set(key, load)
  }
  return [...loads.values()].sort((a, b) =>
    a.agent === b.agent ? a.lane - b.lane : a.agent < b.agent ? -1 : 1,
  )
}
