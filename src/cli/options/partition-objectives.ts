/** `--objective FILE:p`: several edge files over the same vertices, each with its weight (S8). */
import { resolve } from 'node:path'
import { ConfigError } from '../../config/index.js'
import type { Objective } from '../../plan/partition/index.js'
import { readHypergraph } from '../../plan/partition/io/index.js'
import type { Hypergraph } from '../../plan/partition/state/index.js'

/** FILE itself is one of the objectives, with weight 1 unless a flag gives it another weight. */
export function readObjectives(
  file: string,
  hypergraph: Hypergraph,
  flags: readonly string[],
): readonly Objective[] {
  const named = flags.map(parseObjective)
  const isNamed = named.some(each => resolve(each.file) === resolve(file))
  return [...(isNamed ? [] : [{ file, weight: 1 }]), ...named].map(each => {
    const own = resolve(each.file) === resolve(file) ? hypergraph : readHypergraph(each.file)
    if (own.vertexCount !== hypergraph.vertexCount)
      throw new ConfigError(
        `${each.file}: ${own.vertexCount} vertices, but ${file} has ${hypergraph.vertexCount}`,
      )
    return { hypergraph: own, weight: each.weight }
  })
}

/** The file name may contain colons. */
function parseObjective(flag: string): { readonly file: string; readonly weight: number } {
  const colon = flag.lastIndexOf(':')
  const weight = Number(flag.slice(colon + 1))
  if (colon < 1 || colon === flag.length - 1 || !Number.isFinite(weight))
    throw new ConfigError(`--objective ${flag}: expected FILE:p, where p is the weight`)
  if (weight <= 0) throw new ConfigError(`--objective ${flag}: the weight must be more than 0`)
  return { file: flag.slice(0, colon), weight }
}
