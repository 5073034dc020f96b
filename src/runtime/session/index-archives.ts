/** Indexes the archives that a crawl reads from, before its agents start. */
import { type CrawlConfig, readSource } from '../../config/index.js'
import { buildIndex } from '../../page/source/archive/index.js'
import type { Log } from '../directory/index.js'

interface IndexParts {
  readonly config: CrawlConfig
  readonly folder: string
  readonly log: Log
  /** One line for people. */
  readonly tell: (line: string) => void
  readonly isStopped: () => boolean
}

export async function indexArchives({ config, folder, log, tell, isStopped }: IndexParts): Promise<void> {
  for (const text of config.source) {
    const source = readSource(text)
    if (typeof source === 'string' || source.kind !== 'archive') continue
    const { files, captures, problems } = await buildIndex(source.pattern, folder, isStopped)
    log.info('archive indexed', { pattern: source.pattern, files, captures })
    for (const problem of problems) log.warn('archive not read completely', { problem })
    const [first] = problems
    if (first === undefined) continue
    tell(problems.length === 1 ? first : `${first} (crawl.log has ${problems.length - 1} more such files)`)
  }
}
