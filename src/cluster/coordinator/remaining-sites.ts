/** What is left to do, site by site, and whose it is now: what a repartition starts from. */

import type { Ledger } from '../../ledger/index.js'
import type { AgentView, Assignment } from '../../plan/assign/index.js'
import type { SiteLeft } from '../../plan/assign/learned/index.js'
import { takesOver } from './moves.js'

/** Cells whose inboxes are looked at: of more that wait, the last count for little. */
const MOST_WAITING = 100_000
const BATCH_CELLS = 1_000

/** Of a site that was split each piece for itself: they were made to be with different agents. */
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
  for (let after = ''; ; ) {
    const batch = await ledger.sites(after, BATCH_CELLS)
    if (batch.length === 0) return left
    for (const { cell, state, discovered, settled } of batch) {
      if (state === 'closed') continue
      const owner = assignment.intendedOwner?.(cell) ?? null
      const part = owner === null ? -1 : (places.get(owner) ?? -1)
      const queued = Math.max(0, discovered - settled) + (unread.get(cell) ?? 0)
      const heldBy = holders.get(cell) ?? -1
      const isTakenOver = takesOver(assignment) && heldBy !== part
      left.push({ site: cell, queued, known: discovered, part, heldBy, isTakenOver })
    }
    after = batch[batch.length - 1].cell
  }
}
