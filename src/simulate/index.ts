/**
 * simulate/: the whole crawler in virtual time. In: a seed and what may go wrong. Out: the promises that were
 * broken, and figures. Always: agents, lanes, router, transmitter and coordinator are the real ones; clock,
 * random source, web, disk, network and ledger are simulated; the same seed gives the same history. Start
 * with `simulate.ts`, then read `check/checker.ts`. `web/` is independent: a generated web that a server
 * serves.
 */
export { FAULT_PRESETS, type FaultPreset, MUTATIONS, type Mutation } from './faults/index.js'
export type { Answer, Web } from './ports/index.js'
export { explain, shrink } from './shrink.js'
export { simulate } from './simulate.js'
export type { SimulationOptions, SimulationProgress, SimulationResult } from './simulation.js'
export { smallRun } from './small-run.js'
