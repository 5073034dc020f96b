import type { Millis } from '../model/clock.js'
import type { Random } from '../model/random.js'
import type { Assignment, AssignmentName } from './assignment.js'
import { DynamicAssignment } from './dynamic.js'
import { HashAssignment } from './hash.js'
import { HybridAssignment } from './hybrid.js'
import { PhasesAssignment } from './phases/phases.js'
import { RoutedAssignment } from './routed.js'
import type { RoutingTable } from './routing-table.js'
import { StaticAssignment } from './static.js'

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
        ? new HybridAssignment(learned.table, learned.now, learned.stage)
        : new DynamicAssignment()
  }
}
