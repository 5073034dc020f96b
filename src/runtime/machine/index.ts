/**
 * runtime/machine/: what this process and its machine have left and have used. In: gauges of the system.
 * Out: an agent's capacity, a disk that is nearly full, time and CPU of all runs. Always: what a run has used
 * survives its death.
 */
export { AgentAbilities } from './agent-abilities.js'
export { DiskGuard } from './disk-guard.js'
export { machineGauges } from './machine-gauges.js'
export { Monitor } from './monitor.js'
export { UsageMeter, type UsageStart, type UsageTotal, usageStartNow } from './usage-meter.js'
