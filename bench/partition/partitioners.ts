/** Ours and gpmetis as a user runs them; both are judged by the checker, on the hypergraph. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Checked, checkPartition } from '../../src/plan/partition/check/index.js'
import { runMeasured } from '../measure/measured-child.js'
import { ORBWEAVER } from '../paths.js'
import { writeGraph } from './graph-of.js'
import { type BenchSet, EPSILON } from './sets.js'

export interface Made extends Checked {
  readonly cpuSeconds: number
  readonly wallSeconds: number
  readonly peakRssBytes: number
  readonly partFile: string
}

const DEADLINE_SECONDS = 900

/** `extra` are further flags, such as --preset or --previous. */
export async function orbweaver(
  set: BenchSet,
  k: number,
  seed: number,
  folder: string,
  extra: readonly string[] = [],
): Promise<Made> {
  const partFile = join(
    folder,
    `${set.name}.${k}.${seed}${extra.join('').replaceAll(/[^a-z0-9]/gi, '')}`.slice(0, 200),
  )
  const flags = ['-k', `${k}`, '--seed', `${seed}`, '--epsilon', `${EPSILON}`, '--out', partFile, ...extra]
  const weights = set.weights === undefined ? [] : ['--weights', set.weights]
  const command = [process.execPath, ORBWEAVER, 'partition', set.file, ...weights, ...flags]
  const usage = await runMeasured(command, DEADLINE_SECONDS)
  if (usage.exitCode !== 0) throw new Error(`orbweaver partition ${set.name} -k ${k}: ${usage.stderr}`)
  return { ...checked(set, k, partFile), ...usage, partFile }
}

export function hasGpmetis(): boolean {
  return spawnSync('which', ['gpmetis']).status === 0
}

export async function gpmetis(set: BenchSet, k: number, seed: number, folder: string): Promise<Made> {
  const graph = join(folder, `${set.name}.graph`)
  if (!existsSync(graph)) writeGraph(set, graph)
  const ufactor = Math.round(EPSILON * 1_000)
  const command = ['gpmetis', `-ufactor=${ufactor}`, `-seed=${seed}`, graph, `${k}`]
  const usage = await runMeasured(command, DEADLINE_SECONDS)
  const partFile = `${graph}.part.${k}`
  if (usage.exitCode !== 0 || !existsSync(partFile))
    throw new Error(`gpmetis ${set.name} ${k}: ${usage.stderr}`)
  return { ...checked(set, k, partFile), ...usage, partFile }
}

export function checked(set: BenchSet, k: number, partFile: string, previous?: string): Checked {
  const weights = set.weights === undefined ? {} : { weights: set.weights }
  return checkPartition({ file: set.file, partFile, k, ...weights, ...(previous && { previous }) })
}

export function average(runs: readonly Made[], of: (run: Made) => number): number {
  return runs.reduce((sum, run) => sum + of(run), 0) / runs.length
}

/** The worst over runs and constraints. */
export function worstImbalance(runs: readonly Made[]): number {
  return Math.max(...runs.flatMap(run => run.imbalance))
}

/** Within the bound that was asked for, or the one that heavy vertices leave. */
export function isBalanced(run: Made): boolean {
  return run.imbalance.every((value, r) => value <= Math.max(EPSILON, run.imbalanceBound[r]) + 1e-9)
}
