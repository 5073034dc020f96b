/** A hypergraph as a METIS graph: nets of two pins, parallel ones added up, weights whole. */
import { writeFileSync } from 'node:fs'
import { readHypergraph } from '../../src/plan/partition/io/index.js'
import type { Hypergraph } from '../../src/plan/partition/state/index.js'
import type { BenchSet } from './sets.js'

/** Larger nets are drawn as stars: a clique of 1,000 would be half a million edges. */
const CLIQUE_PINS = 50
/** The edges of a clique of n share this weight, each getting 1 / (n - 1) of it. */
const CLIQUE_SCALE = 60

export function writeGraph(set: BenchSet, file: string): void {
  const hypergraph = readHypergraph(set.file, set.weights)
  const { vertexCount, constraintCount, vertexWeights } = hypergraph
  const neighbours = Array.from({ length: vertexCount }, () => new Map<number, number>())
  const join = (a: number, b: number, weight: number): void => {
    neighbours[a].set(b, (neighbours[a].get(b) ?? 0) + weight)
    neighbours[b].set(a, (neighbours[b].get(a) ?? 0) + weight)
  }
  for (let net = 0; net < hypergraph.netCount; net++) joinNet(hypergraph, net, set.expansion, join)
  const edges = neighbours.reduce((sum, map) => sum + map.size, 0) / 2
  const rows = [`${vertexCount} ${edges} 011 ${constraintCount}`]
  neighbours.forEach((map, v) => {
    const weights = vertexWeights.subarray(v * constraintCount, (v + 1) * constraintCount)
    rows.push([...weights, ...Array.from(map, ([to, weight]) => `${to + 1} ${weight}`)].join(' '))
  })
  writeFileSync(file, `${rows.join('\n')}\n`)
}

function joinNet(
  { netOffsets, pins, netCosts }: Hypergraph,
  net: number,
  expansion: BenchSet['expansion'],
  join: (a: number, b: number, weight: number) => void,
): void {
  const own = pins.subarray(netOffsets[net], netOffsets[net + 1])
  const isClique = expansion === 'clique' && own.length <= CLIQUE_PINS
  const scale = expansion === 'star' ? 1 : isClique ? CLIQUE_SCALE / (own.length - 1) : CLIQUE_SCALE / 2
  const weight = Math.max(1, Math.round(netCosts[net] * scale))
  const sources = isClique ? own.length - 1 : 1
  for (let i = 0; i < sources; i++) for (let j = i + 1; j < own.length; j++) join(own[i], own[j], weight)
}
