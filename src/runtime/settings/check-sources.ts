/**
 * Checks `--source` before anything is written: what it names must be there, and some URL below it in scope.
 */
import { statSync } from 'node:fs'
import { ConfigError, type CrawlConfig, readSource, type Source } from '../../config/index.js'
import { Scope } from '../../page/frontier/scope/index.js'
import { archiveFiles } from '../../page/source/archive/index.js'

export function checkSources(config: CrawlConfig): void {
  const prefixes = new Set<string>()
  const scope = new Scope({ seeds: config.seeds, kind: config.scope, include: [], exclude: [] })
  for (const text of config.source) {
    const source = readSource(text)
    if (typeof source === 'string') throw new ConfigError(`--source: ${source}`)
    const { prefix } = source
    if (prefixes.has(prefix)) throw new ConfigError(`--source: two sources for ${prefix || '*'}; give one`)
    prefixes.add(prefix)
    const isUsed = scope.accepts(prefix) || config.seeds.some(seed => seed.startsWith(prefix))
    if (!isUsed)
      throw new ConfigError(
        `--source: no URL below ${prefix} is in scope; start from it, or widen --scope (it is ${config.scope})`,
      )
    checkThere(source)
  }
}

function checkThere(source: Source): void {
  if (source.kind === 'directory') {
    const { root } = source
    const stats = statSync(root, { throwIfNoEntry: false })
    if (stats === undefined) throw new ConfigError(`--source: there is no directory ${root}`)
    if (!stats.isDirectory()) throw new ConfigError(`--source: ${root} is not a directory`)
  }
  if (source.kind === 'archive' && archiveFiles(source.pattern).length === 0)
    throw new ConfigError(`--source: no WARC file is at ${source.pattern}`)
}
