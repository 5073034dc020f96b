/**
 * bus/: wake-ups and status between agents and coordinator. In: short messages. Out: the same messages
 * elsewhere, perhaps. Always: a message may be lost, doubled or late; nothing depends on it for safety.
 */
export { type Bus, type BusMessage, type LaneStatus, LocalBus } from './bus.js'
export { PostgresBus } from './postgres-bus.js'
export { portBus, relayBus } from './thread-bus.js'
