/**
 * cluster/agent/heartbeat/: what an agent tells the others: its heartbeat, its free lanes, its distance from peers.
 */
export { Checkpoint } from './checkpoint.js'
export { wordOf } from './heartbeat-word.js'
export { type AgentCapacity, LaneOffer, type LaneOfferParts, type MachineLoad } from './lane-offer.js'
export { type Peer, PeerProbe } from './peer-probe.js'
export { HEARTBEAT_MS, LEASE_MS, Pulse } from './pulse.js'
