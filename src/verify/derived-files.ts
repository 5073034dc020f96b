/** Rewrites files derived from ledger and tables that are damaged or describe lost data. */
import type { Damage } from './damage.js'
import { describeCrawl } from './describe-crawl.js'
import type { RepairCrawl } from './open-repair.js'
import type { Quarantine } from './quarantine.js'
import type { RepairOutcome } from './repair.js'

const SITES = 'tables/sites/'

/** Returns a line for each damaged file. */
export async function repairDerived(
  crawl: RepairCrawl,
  damage: readonly Damage[],
  { tables, archives }: RepairOutcome,
  quarantine: Quarantine,
): Promise<string[]> {
  const isMeant = ({ kind, file }: Damage) =>
    kind === 'manifest' || kind === 'report' || kind === 'learned' || file.startsWith(SITES)
  const damaged = damage.filter(isMeant)
  const lines = damaged.map(({ file, kind }) => `${file}: ${kind === 'learned' ? LEARNED : 'written anew'}`)
  if (crawl.isDry) return lines
  for (const { file, detail } of damaged) quarantine.keep(file, detail)
  const has = (kind: Damage['kind']) => damaged.some(found => found.kind === kind)
  const isLost = tables.lost.length > 0
  await describeCrawl(crawl, {
    sites: crawl.config.tables !== 'none' && (isLost || damaged.some(({ file }) => file.startsWith(SITES))),
    manifest: has('manifest') || tables.replaced.length > 0 || tables.made.length > 0 || archives.length > 0,
    learned: has('learned'),
    report: has('report') || isLost,
  })
  return lines
}

const LEARNED =
  'rebuilt from the ledger; links that only this file had are dropped until the next crawl learns them'
