/**
 * What is derived from ledger and tables: written anew where it was damaged, or where it speaks of what was
 * lost.
 */

import type { Damage } from './damage.js'
import { describeCrawl } from './describe-crawl.js'
import type { RepairCrawl } from './open-repair.js'
import type { Quarantine } from './quarantine.js'
import type { RepairOutcome } from './repair.js'

const SITES = 'tables/sites/'

/** Returns a line for each file that was damaged. */
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
  'learned again from the ledger; links that only it told of are dropped, and the next crawl learns them'
