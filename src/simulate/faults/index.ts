/**
 * simulate/faults/: what goes wrong. In: a seed and a preset, or the name of a rule to break. Out: a list of
 * faults with their times, and ledgers that break one rule.
 */

export { LEASE_MS } from '../limits.js'
export {
  drawFaults,
  FAULT_PRESETS,
  type Fault,
  type FaultPreset,
  SILENCE_MS,
} from './faults.js'
export { believedLeaseMs, mutantCore, mutantLedger } from './mutant-ledger.js'
export { brokenBy, MUTATIONS, type Mutation, phaseMistake } from './mutations.js'
export { OverlappingChanges } from './overlapping-changes.js'
