/**
 * cluster/agent/heartbeat/: what an agent tells the others: its heartbeat, its free lanes, its distance from
 * peers.
 */
export { Checkpoint } from './checkpoint.js'
export { HEARTBEAT_MS, HeartbeatLoop, LEASE_MS } from './heartbeat-loop.js'
export { heartbeatStatus } from './heartbeat-status.js'
export { type AgentCapacity, LaneOffer, type LaneOfferParts, type MachineLoad } from './lane-offer.js'
export { type Peer, PeerProbe } from './peer-probe.js'
