import type { Level, Room } from '../state/index.js'

/**
 * Gives each part without a vertex the cheapest unit of a part that has several. `unitOf`: vertices to units.
 */
export function fillEmptyParts(level: Level, room: Room, parts: Int32Array, unitOf: Int32Array): void {
  const members = new Int32Array(level.vertexCount)
  for (let v = 0; v < unitOf.length; v++) members[unitOf[v]]++
  const sizes = new Int32Array(room.k)
  for (let u = 0; u < level.vertexCount; u++) if (members[u] > 0) sizes[parts[u]]++
  if (!sizes.includes(0)) return
  const free = Array.from(members.keys())
    .filter(u => members[u] > 0 && level.fixed[u] < 0)
    .sort((a, b) => level.degrees[a] - level.degrees[b] || a - b)
  let next = 0
  for (let p = 0; p < room.k; p++) {
    if (sizes[p] > 0) continue
    while (next < free.length && sizes[parts[free[next]]] < 2) next++
    if (next === free.length) return
    sizes[parts[free[next]]]--
    parts[free[next]] = p
    sizes[p] = 1
    next++
  }
}
