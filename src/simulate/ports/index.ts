/**
 * simulate/ports/: what a simulated agent meets instead of the world: web, fetcher, disk, store, bus and
 * ledger connection. In: calls of the real code. Out: answers after a virtual time, or failures. Always: a
 * witness sees every request and every ledger call at the moment it happens.
 */
export { Disk, type StoredRow } from './disk.js'
export { BAD_BUS, FlakyBus, GOOD_BUS } from './flaky-bus.js'
export {
  flakyLedger,
  GOOD_CONDITIONS,
  type LedgerConditions,
  type LedgerMethod,
  type LedgerWitness,
} from './flaky-ledger.js'
export { Servers, VirtualFetcher, type Witness } from './virtual-fetcher.js'
export { type DiskHealth, VirtualStore } from './virtual-store.js'
export { type Answer, VirtualWeb, type Web } from './virtual-web.js'
