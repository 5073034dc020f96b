/** The files of one incarnation of an agent in the store, and the records that its packs are made of. */
import type { AgentInput } from '../cluster/agent/index.js'
import { ConfigError, type CrawlConfig } from '../config/index.js'
import { DirectoryPackStore, PackBuilder, type PackStore } from '../data/store/index.js'
import { parseArchiveFormat, type WarcRecords, warcInfo, warcRecords } from '../data/store/warc/index.js'
import { VERSION } from '../model/index.js'
import type { StorePlace } from '../runtime/platform/index.js'
import { userAgentOf } from './open-fetcher.js'
import { systemClock } from './system-clock.js'
import { systemRandom as random } from './system-random.js'

export function openDirectoryStore(place: StorePlace): PackStore {
  const { directory, crawl, config, incarnation, worker, firstNumber = 0 } = place
  return new DirectoryPackStore({
    directory,
    owner: { crawl, incarnation },
    clock: systemClock,
    records: recordsOf(config),
    info: warcInfo({
      software: `orbweaver/${VERSION}`,
      robots: config.robots,
      userAgent: userAgentOf(config),
      extra: { isPartOf: crawl },
    }),
    sortIndex: task => worker.sortIndex(task),
    firstNumber,
  })
}

/** How an agent makes its packs, wherever they go. */
export function packing(config: CrawlConfig, agent: string): Pick<AgentInput, 'newBuilder' | 'archives'> {
  const records = recordsOf(config)
  const options = { agent, records, tables: config.tables !== 'none' }
  return { newBuilder: () => new PackBuilder(options), archives: records !== null }
}

function recordsOf({ archive }: CrawlConfig): WarcRecords | null {
  const choice = parseArchiveFormat(archive)
  if (!choice.ok) throw new ConfigError(choice.message)
  return warcRecords(choice.format, random)
}
