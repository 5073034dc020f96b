/** `--graph`: the kind of vertices, and the weights p_i of the combiner (S8, S9, S17). */

/** p_i of the combiner (S8): relative weights; 0 leaves a criterion out. */
export interface GraphWeights {
  /** Links between sites. */
  readonly links: number
  /** Round-trip times from agents to sites. */
  readonly rtt: number
  /** Change rates: pages that change are fetched often, so agents near them share them evenly. */
  readonly change: number
  /** Similar words, as a sign of similar topics. */
  readonly similarity: number
  /** Country codes and address blocks. */
  readonly geography: number
}

export const GRAPH_WEIGHTS: GraphWeights = { links: 1, rtt: 0.2, change: 0, similarity: 0, geography: 0 }

export interface GraphSettings {
  readonly vertices: 'site' | 'address'
  readonly weights: GraphWeights
}

const VERTICES = ['site', 'address'] as const

/** Null if the word is valid, otherwise the error. */
export function checkGraphSetting(word: string): string | null {
  const [name, value = '', ...rest] = word.split('=')
  if (name === 'vertices' && rest.length === 0)
    return VERTICES.some(each => each === value) ? null : `vertices must be ${VERTICES.join(' or ')}`
  if (!Object.hasOwn(GRAPH_WEIGHTS, name) || rest.length > 0)
    return `must be vertices=site|address or NAME=NUMBER with one of ${Object.keys(GRAPH_WEIGHTS).join(', ')}`
  const number = Number(value)
  return value.trim() !== '' && number >= 0 && number <= MOST
    ? null
    : `${name} must be a number from 0 to ${MOST}`
}

/** A higher weight would make the other criteria irrelevant. */
const MOST = 1_000_000

/** Vertices are addresses by default: better overall in the paper, and the table is smaller. */
export function readGraphSettings(words: readonly string[]): GraphSettings {
  const given = new Map(words.map(word => word.split('=') as [string, string]))
  const vertices = given.get('vertices') === 'site' ? 'site' : 'address'
  given.delete('vertices')
  const weights = Object.fromEntries([...given].map(([name, value]) => [name, Number(value)]))
  return { vertices, weights: { ...GRAPH_WEIGHTS, ...weights } }
}
