import type { AssignmentName } from '../config/index.js'
import type { Millis, Random } from '../model/index.js'
import type { Assignment } from '../plan/assign/index.js'
import { RoutedAssignment, type RoutingTable } from '../plan/assign/learned/index.js'
import { PhasesAssignment } from '../plan/assign/phases/index.js'
import { DynamicAssignment, HashAssignment, StaticAssignment } from '../plan/assign/simple/index.js'

/** What an assignment that has learned needs; without it, it is the one it falls back on. */
interface Learned {
  readonly table: RoutingTable
  /** Of the table; without one, or with 0, agents do not route by it themselves. */
  readonly stage?: number
  /** Monotonic. */
  readonly now: () => Millis
}

/** The assignment of that name (`--assign`). */
export function chooseAssignment(
  name: AssignmentName,
  random: Random,
  learned: Learned | null = null,
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
