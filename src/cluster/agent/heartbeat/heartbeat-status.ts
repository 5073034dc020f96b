/** The status that an agent sends with every heartbeat. */

import type { LaneStatus } from '../../../bus/index.js'
import type { Incarnation } from '../../../ledger/index.js'
import type { SiteLoad } from '../cells/index.js'
import type { Counters } from '../site/index.js'
import type { MachineLoad } from './lane-offer.js'
import type { Peer } from './peer-probe.js'

/** Lists the fields: a spread takes ten times as long, and every agent does this each second. */
export function heartbeatStatus(
  counters: Counters,
  lanes: LaneStatus & { readonly load: MachineLoad | null },
  sites: SiteLoad,
  peers: Readonly<Record<Incarnation, Peer>>,
  waiting: string,
  checkpoint: string,
) {
  return {
    fetches: counters.fetches,
    concluded: counters.concluded,
    pages: counters.pages,
    bytes: counters.bytes,
    errors: counters.errors,
    redirects: counters.redirects,
    retries: counters.retries,
    exchanged: counters.exchanged,
    messages: counters.messages,
    coalescedMessages: counters.coalescedMessages,
    packs: counters.packs,
    stalePacks: counters.stalePacks,
    refusedFinishes: counters.refusedFinishes,
    forcedCells: counters.forcedCells,
    at: lanes.at,
    seen: lanes.seen,
    free: lanes.free,
    held: lanes.held,
    busyLanes: lanes.busyLanes,
    capacity: lanes.capacity,
    stage: lanes.stage ?? 0,
    taken: lanes.taken ?? 0,
    busySites: sites.busySites,
    workLeft: sites.workLeft,
    spareGroups: sites.spareGroups,
    load: lanes.load,
    peers,
    waiting,
    checkpoint,
  } satisfies Counters & LaneStatus & Record<string, unknown>
}
