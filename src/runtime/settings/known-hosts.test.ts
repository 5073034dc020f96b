import { expect, it } from 'vitest'
import type { Ledger, SiteSummary } from '../../ledger/index.js'
import { knownHosts } from './known-hosts.js'

const summary = (cell: string, refusedDomain: string | null): SiteSummary =>
  ({
    cell,
    outcomes: refusedDomain === null ? [] : [{ code: 'TRAP:subdomains', count: 1, detail: refusedDomain }],
  }) as unknown as SiteSummary

it('a resumed crawl refuses new hosts of the domains it gave up, and reads crawled sites only (P11)', async () => {
  const asked: unknown[] = []
  const rows = [summary('a.test', 'trap.test'), summary('b.test', null)]
  const sites: Ledger['sites'] = async (after, _limit, which) => {
    asked.push(which)
    return rows.filter(({ cell }) => cell > after)
  }
  const hosts = await knownHosts({ sites } as Ledger)
  expect(hosts.admits('new.trap.test')).toBe(false)
  expect(hosts.admits('new.b.test')).toBe(true)
  expect(new Set(asked)).toEqual(new Set(['crawled']))
})
