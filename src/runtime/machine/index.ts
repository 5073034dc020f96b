/**
 * runtime/machine/: measures the free capacity of the machine, and the time and CPU that a crawl has used.
 * In: gauges of the system. Out: an agent's capacity, a disk that is nearly full, time and CPU of all runs.
 * Always: the usage of a run is kept even if the run is killed.
 */
export { AgentAbilities } from './agent-abilities.js'
export { DiskGuard } from './disk-guard.js'
export { machineGauges } from './machine-gauges.js'
export { Monitor } from './monitor.js'
export { UsageMeter, type UsageStart, type UsageTotal, usageStartNow } from './usage-meter.js'
