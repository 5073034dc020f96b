import type { Assigned, Assignment } from '../index.js'

const NOTHING: Assigned = { given: new Map(), wanted: new Map() }

/** Under `phases`, agents claim the cells of their shards themselves; the coordinator grants nothing. */
export class PhasesAssignment implements Assignment {
  readonly name = 'phases'
  readonly looksAt = 'nothing'

  assign(): Assigned {
    return NOTHING
  }
}
