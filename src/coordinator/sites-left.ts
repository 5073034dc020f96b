/** What is left to do, site by site, and whose it is now: what a repartition starts from. */
import type { AgentView, Assignment } from '../assign/index.js'
import type { SiteLeft } from '../assign/predict-times.js'
import { type Ledger, siteSummaries } from '../cluster/index.js'
import { siteOfCell } from '../model/cell.js'
import { takesOver } from './moves.js'

/** Cells whose inboxes are looked at: of more that wait, the last count for little. */
const MOST_WAITING = 100_000

export async function sitesLeft(
  ledger: Ledger,
  assignment: Assignment,
  agents: readonly AgentView[],
): Promise<SiteLeft[]> {
  const places = new Map(agents.map(({ incarnation }, part) => [incarnation, part]))
  const unread = new Map<string, number>()
  for (const { cell, backlog } of await ledger.waiting(MOST_WAITING)) {
    const site = siteOfCell(cell)
    unread.set(site, (unread.get(site) ?? 0) + backlog)
  }
  const holders = new Map<string, number>()
  for (const [place, { incarnation }] of agents.entries())
    for (const { cell } of await ledger.leases(incarnation, 0)) holders.set(siteOfCell(cell), place)
  const left: SiteLeft[] = []
  for await (const { cell: site, discovered, settled } of siteSummaries(ledger)) {
    const owner = assignment.meantFor?.(site) ?? null
    const part = owner === null ? -1 : (places.get(owner) ?? -1)
    const queued = Math.max(0, discovered - settled) + (unread.get(site) ?? 0)
    const heldBy = holders.get(site) ?? -1
    left.push({
      site,
      queued,
      known: discovered,
      part,
      heldBy,
      isBargain: takesOver(assignment) && heldBy !== part,
    })
  }
  return left
}
