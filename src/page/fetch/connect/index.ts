/**
 * page/fetch/connect/: connections to sites. In: a site and its addresses. Out: an open connection, kept for
 * the next request. Always: the address of every connection is checked; connections per site are limited.
 */
export { addressGuard } from './address-guard.js'
export { Connection, type Ending, type ExchangeListener } from './connection.js'
export { Dialer } from './dialer.js'
export type { Slot, SlotWaiter } from './site-slots.js'
export { SlotPool } from './slot-pool.js'
