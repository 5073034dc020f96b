/**
 * Rewrites the files that are derived from ledger and tables and that are damaged or describe lost data: the
 * table of sites, the manifest, the learned data and the report.
 */
import { systemPlatform } from '../compose/index.js'
import { manifestOf } from '../data/store/index.js'
import { writeManifest } from '../data/store/tables/index.js'
import { Log } from '../runtime/directory/index.js'
import { AgentAbilities } from '../runtime/machine/index.js'
import { keepLearned } from '../runtime/routing/index.js'
import { STARTED_AT, writeReport, writeSitesTable } from '../runtime/session/index.js'
import { StoreWorker } from '../runtime/threads/index.js'
import type { Damage } from './damage.js'
import type { RepairCrawl } from './open-repair.js'
import type { Quarantine } from './quarantine.js'
import type { RepairOutcome } from './repair.js'

const { clock, random, startThread } = systemPlatform
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
  const { directory, config, ledger, seat } = crawl
  const isSites = config.tables !== 'none' && (isLost || damaged.some(({ file }) => file.startsWith(SITES)))
  if (isSites) await writeSitesTable(directory, ledger, seat)
  const isListed = tables.replaced.length > 0 || tables.made.length > 0 || archives.length > 0
  if (has('manifest') || isListed || isSites)
    writeManifest(directory, manifestOf(await ledger.files(), clock.now()))
  const log = new Log(directory, clock)
  try {
    if (has('learned')) await learnAgain(crawl, log)
    if (has('report') || isLost) await reportAgain(crawl, log)
  } finally {
    log.close()
  }
  return lines
}

async function learnAgain({ directory, config, ledger }: RepairCrawl, log: Log): Promise<void> {
  const worker = new StoreWorker(startThread)
  try {
    const abilities = new AgentAbilities(ledger, () => clock.monotonic())
    await keepLearned({ directory, config, ledger, worker, abilities, log, clock })
  } finally {
    await worker.close()
  }
}

async function reportAgain(crawl: RepairCrawl, log: Log): Promise<void> {
  const settings = await crawl.ledger.settings()
  await writeReport(
    { ...crawl, log, clock, random },
    {
      startedAtMs: Number(settings[STARTED_AT] ?? 0),
      damaged: [],
      seconds: Number(settings['spent.seconds'] ?? 0),
      cpuSeconds: Number(settings['spent.cpuSeconds'] ?? 0),
    },
  )
}

const LEARNED =
  'rebuilt from the ledger; links that only this file had are dropped until the next crawl learns them'
