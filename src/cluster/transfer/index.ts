/**
 * cluster/transfer/: sends the packs of agents without the store to the coordinator, which has it (D11). In:
 * packs in memory, one at a time. Out: bytes in the coordinator's store, and their place; the agent commits
 * them in the ledger itself. Over the same channel an agent reads journals and the routing table. Always:
 * every request has the token of the crawl; packs are of incarnations that are open in the ledger; a pack is
 * stored only if its digest is right, and once if it is sent twice; a broken upload continues where it
 * stopped; received bytes are bounded, and idle uploads are dropped; a coordinator that has lost the seat
 * accepts nothing, and the packs accepted under each seat are in separate files.
 */
export { type Channel, channelTo } from './channel.js'
export { journalsOver, routingOver } from './journals.js'
export { PackServer } from './pack-server.js'
export { RemotePackStore } from './remote-pack-store.js'
