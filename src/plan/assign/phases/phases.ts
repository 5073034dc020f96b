/**
 * Under `phases` agents take the cells of their shards themselves: there is no coordinator in the crawl path
 * (K1).
 */
import type { Assigned, Assignment } from '../index.js'

const NOTHING: Assigned = { given: new Map(), wanted: new Map() }

export class PhasesAssignment implements Assignment {
  readonly name = 'phases'
  readonly looksAt = 'nothing'
  readonly plan = null
  readonly owners = null

  assign(): Assigned {
    return NOTHING
  }

  laneOf(): number {
    return 0
  }
}
