import type { AssignmentName } from '../config/index.js'
import type { Random } from '../model/index.js'
import type { Assignment } from '../plan/assign/index.js'
import { RoutedAssignment } from '../plan/assign/learned/index.js'
import { PhasesAssignment } from '../plan/assign/phases/index.js'
import { DynamicAssignment, HashAssignment, StaticAssignment } from '../plan/assign/simple/index.js'
import type { LearnedTable } from '../runtime/platform/index.js'

/**
 * The assignment of that name (`--assign`). Without a table, returns the assignment on which a learned
 * assignment falls back.
 */
export function chooseAssignment(
  name: AssignmentName,
  random: Random,
  learned: LearnedTable | null = null,
): Assignment {
  switch (name) {
    case 'dynamic':
      return new DynamicAssignment()
    case 'hash':
      return new HashAssignment()
    case 'static-random':
    case 'static-size':
      return new StaticAssignment(name, random)
    case 'phases':
      return new PhasesAssignment()
    case 'graph':
    case 'hypergraph':
      return learned
        ? new RoutedAssignment(name, learned.table, learned.now, learned.stage)
        : new HashAssignment()
    case 'hybrid':
      return learned
        ? new RoutedAssignment(name, learned.table, learned.now, learned.stage)
        : new DynamicAssignment()
  }
}
