/**
 * cluster/agent/heartbeat/: what an agent reports. In: its cells, lanes and counters. Out: heartbeats, free
 * lanes, distances from other agents. Always: leases count as renewed only after lost cells are known.
 */
export { Checkpoint } from './checkpoint.js'
export { HEARTBEAT_MS, HeartbeatLoop, LEASE_MS } from './heartbeat-loop.js'
export { heartbeatStatus } from './heartbeat-status.js'
export { type AgentCapacity, LaneOffer, type MachineLoad } from './lane-offer.js'
export { type Peer, PeerProbe } from './peer-probe.js'
