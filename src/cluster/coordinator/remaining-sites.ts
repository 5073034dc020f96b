/** The remaining work of each site, and its agent: the input of a repartition. */

import { cellBatches, type Ledger } from '../../ledger/index.js'
import type { AgentView, Assignment } from '../../plan/assign/index.js'
import type { SiteLeft } from '../../plan/assign/learned/index.js'
import { takesOver } from './moves.js'

/**
 * How many waiting cells are read for their inboxes. The inboxes of cells further back in the queue are taken
 * to be empty.
 */
const MOST_WAITING = 100_000

/** The pieces of a split site are listed one by one: they may be with different agents. */
export async function remainingSites(
  ledger: Ledger,
  assignment: Assignment,
  agents: readonly AgentView[],
): Promise<SiteLeft[]> {
  const places = new Map(agents.map(({ incarnation }, part) => [incarnation, part]))
  const unread = new Map<string, number>()
  for (const { cell, backlog } of await ledger.waiting(MOST_WAITING)) unread.set(cell, backlog)
  const holders = new Map<string, number>()
  for (const [place, { incarnation }] of agents.entries())
    for (const { cell } of await ledger.leases(incarnation, 0)) holders.set(cell, place)
  const left: SiteLeft[] = []
  for await (const batch of cellBatches(ledger))
    for (const { cell, state, discovered, settled } of batch) {
      if (state === 'closed') continue
      const owner = assignment.intendedOwner?.(cell) ?? null
      const part = owner === null ? -1 : (places.get(owner) ?? -1)
      const queued = Math.max(0, discovered - settled) + (unread.get(cell) ?? 0)
      const heldBy = holders.get(cell) ?? -1
      const isTakenOver = takesOver(assignment) && heldBy !== part
      left.push({ site: cell, queued, known: discovered, part, heldBy, isTakenOver })
    }
  return left
}
