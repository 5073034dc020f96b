/**
 * simulate/machines/: virtual time and the machines in it. In: tasks with a delay. Out: the tasks, run one by
 * one in the order of their times. Always: what reaches an agent from outside (a timer, an answer) passes
 * through its machine, which may be frozen, dead or slow.
 */
export { EPOCH_MS } from '../limits.js'
export { Machine } from './machine.js'
export { VirtualTime } from './virtual-time.js'
