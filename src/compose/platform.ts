/** The platform of the installed program. */
import { LEASE_MS } from '../cluster/agent/heartbeat/index.js'
import { Coordinator } from '../cluster/coordinator/index.js'
import type { Platform } from '../runtime/platform/index.js'
import { AgentHost } from './agent-host.js'
import { chooseAssignment } from './choose-assignment.js'
import { openFetcher } from './open-fetcher.js'
import { openGuest } from './open-guest.js'
import { systemLedgers } from './open-ledger.js'
import { openDirectoryStore } from './open-store.js'
import { startThread } from './start-thread.js'
import { systemClock } from './system-clock.js'
import { systemRandom } from './system-random.js'

export const systemPlatform: Platform = {
  clock: systemClock,
  random: systemRandom,
  leaseMs: LEASE_MS,
  ledgers: systemLedgers,
  startThread,
  openAgent: AgentHost.open,
  openFetcher,
  openGuest,
  openStore: openDirectoryStore,
  chooseAssignment,
  newCoordinator: parts => new Coordinator(parts),
  phaseSkewMs: () => 0,
}
