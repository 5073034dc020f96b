import { cellBatches, type Ledger } from '../../ledger/index.js'
import { siteOfCell } from '../../model/index.js'
import { HostNames } from '../../page/frontier/traps/index.js'

/**
 * The hosts that earlier runs crawled, and the domains they gave up. Each agent adds the hosts that it meets.
 * Hosts that were found but not crawled are left out: a link farm has millions of them, and reading them
 * would delay the start.
 */
export async function knownHosts(ledger: Ledger): Promise<HostNames> {
  const hosts = new HostNames()
  for await (const batch of cellBatches(ledger, 'crawled'))
    for (const { cell, outcomes } of batch) {
      hosts.admits(siteOfCell(cell))
      const refused = outcomes.find(({ code }) => code === 'TRAP:subdomains')
      if (refused !== undefined) hosts.giveUp(refused.detail)
    }
  return hosts
}
