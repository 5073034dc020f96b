/**
 * transfer/: packs of agents that do not see the store (D11), on their way to the coordinator, who does.
 *
 * In: packs in memory, one at a time. Out: bytes in the coordinator's store, and where they are: the agent
 * commits them in the ledger itself, as it would its own. The same channel brings it the journals that a
 * cell's seen-set and queue derive from, and the routing table.
 *
 * Always holds: nothing without the crawl's token; packs only of incarnations that are open in the ledger; a
 * pack is stored only when its digest is right; a connection that was cut goes on where it stopped; a pack
 * sent twice is stored once; what the receiver holds is bounded, and an unfinished pack that nothing more
 * comes of is dropped; a coordinator that lost its seat takes nothing more, and what it took before is in
 * files of its own.
 */
export { type Channel, channelTo } from './channel.js'
export { journalsOver } from './journals.js'
export { PackServer } from './pack-server.js'
export { RemotePackStore } from './remote-pack-store.js'
export { routingOver } from './routing.js'
