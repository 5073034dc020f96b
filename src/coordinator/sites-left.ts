/** What is left to do, site by site, and whose it is now: what a repartition starts from. */
import type { AgentView, Assignment } from '../assign/index.js'
import type { SiteLeft } from '../assign/repartition.js'
import { type Ledger, siteSummaries } from '../cluster/index.js'

export async function sitesLeft(
  ledger: Ledger,
  assignment: Assignment,
  agents: readonly AgentView[],
): Promise<SiteLeft[]> {
  const places = new Map(agents.map(({ incarnation }, part) => [incarnation, part]))
  const left: SiteLeft[] = []
  for await (const { cell: site, discovered, settled } of siteSummaries(ledger)) {
    const owner = assignment.meantFor?.(site) ?? null
    const part = owner === null ? -1 : (places.get(owner) ?? -1)
    left.push({ site, queued: Math.max(0, discovered - settled), known: discovered, part })
  }
  return left
}
