import type { Random } from '../model/random.js'
import type { Assignment, AssignmentName } from './assignment.js'
import { DynamicAssignment } from './dynamic.js'
import { HashAssignment } from './hash.js'
import { StaticAssignment } from './static.js'

/** The assignment of that name (`--assign`). */
export function chooseAssignment(name: AssignmentName, random: Random): Assignment {
  switch (name) {
    case 'dynamic':
      return new DynamicAssignment()
    case 'hash':
      return new HashAssignment()
    case 'static-random':
    case 'static-size':
      return new StaticAssignment(name, random)
  }
}
