/** What `--graph` sets: what the vertices are, and p_i of the combiner (S8, S9, S17). */

/** p_i of the combiner (S8): how much each counts beside the others; 0 leaves it out. */
export interface GraphWeights {
  /** Links between sites. */
  readonly links: number
  /** Time from agents to sites. */
  readonly rtt: number
  /** Pages that change are fetched again and again: by agents that are near, and as many by each. */
  readonly change: number
  /** Sites with the same words are about the same things. */
  readonly similarity: number
  /** Sites of one country code, and of one block of addresses, stay together. */
  readonly geography: number
}

export const GRAPH_WEIGHTS: GraphWeights = { links: 1, rtt: 0.2, change: 0, similarity: 0, geography: 0 }

export interface GraphSettings {
  readonly vertices: 'site' | 'address'
  readonly weights: GraphWeights
}

const VERTICES = ['site', 'address'] as const

/** Null when it can be read, else what is wrong with it. */
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

/** Beyond it the others might as well not be there. */
const MOST = 1_000_000

/** Addresses unless told otherwise: the paper found them better overall, and the table is smaller. */
export function readGraphSettings(words: readonly string[]): GraphSettings {
  const given = new Map(words.map(word => word.split('=') as [string, string]))
  const vertices = given.get('vertices') === 'site' ? 'site' : 'address'
  given.delete('vertices')
  const weights = Object.fromEntries([...given].map(([name, value]) => [name, Number(value)]))
  return { vertices, weights: { ...GRAPH_WEIGHTS, ...weights } }
}
