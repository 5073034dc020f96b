/**
 * Runs gpmetis (Debian package `metis`), with which experiments compare our partitioner if it is installed.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { GraphPartitioner, WeightedGraph } from './hypergraph/index.js'

const COMMAND = 'gpmetis'
const DEADLINE_MS = 300_000
/** The largest sum of weights: gpmetis adds them up in 32-bit integers. */
const MOST_WEIGHT = 2 ** 30

/** Null if gpmetis is not installed. */
export function findGpmetis(): GraphPartitioner | null {
  const { error } = spawnSync(COMMAND, ['-help'], { stdio: 'ignore', timeout: DEADLINE_MS })
  return error === undefined ? { name: COMMAND, partition: gpmetis } : null
}

function gpmetis(graph: WeightedGraph, k: number, imbalance: number, seed: number): Int32Array {
  const folder = mkdtempSync(join(tmpdir(), 'orb-gpmetis-'))
  try {
    const file = join(folder, 'web.graph')
    writeFileSync(file, metisText(graph))
    const flags = [`-ufactor=${Math.round(imbalance * 1_000)}`, `-seed=${seed}`, file, `${k}`]
    const { status, stdout } = spawnSync(COMMAND, flags, { encoding: 'utf8', timeout: DEADLINE_MS })
    if (status !== 0) throw new Error(`gpmetis ${flags.join(' ')}: ${stdout}`)
    const lines = readFileSync(`${file}.part.${k}`, 'utf8').trimEnd().split('\n')
    return Int32Array.from(lines, Number)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function metisText(graph: WeightedGraph): string {
  const { vertexCount, constraintCount, vertexWeights, offsets, neighbours, edgeWeights } = graph
  const sums = new Float64Array(constraintCount)
  for (let i = 0; i < vertexWeights.length; i++) sums[i % constraintCount] += vertexWeights[i]
  const scales = sums.map(sum => Math.min(1, MOST_WEIGHT / sum))
  const rows = [`${vertexCount} ${neighbours.length / 2} 011 ${constraintCount}`]
  for (let v = 0; v < vertexCount; v++) {
    const row: number[] = []
    for (let r = 0; r < constraintCount; r++)
      row.push(Math.max(1, Math.round(vertexWeights[v * constraintCount + r] * scales[r])))
    for (let at = offsets[v]; at < offsets[v + 1]; at++) row.push(neighbours[at] + 1, edgeWeights[at])
    rows.push(row.join(' '))
  }
  return `${rows.join('\n')}\n`
}
