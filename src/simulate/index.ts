/**
 * simulate/: the whole crawler in virtual time. In: a seed and what may go wrong. Out: which promise was
 * broken, and the figures. Always: real agents, lanes, router and transmitter; only clock, chance, web, disk,
 * network and ledger are made up; the same seed gives the same history. Read `world.ts`, then `checker.ts`.
 * `web/` is another thing: a web to serve.
 */
export { FAULT_PRESETS, type FaultPreset } from './faults.js'
export { MUTATIONS, type Mutation } from './mutations.js'
export { explain, shrink } from './shrink.js'
export { smallRun } from './small-run.js'
export type { Answer, Web } from './virtual-web.js'
export { type SimulationOptions, type SimulationProgress, type SimulationResult, simulate } from './world.js'
