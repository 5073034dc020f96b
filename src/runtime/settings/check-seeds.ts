import { existsSync } from 'node:fs'
import { isIP } from 'node:net'
import { ConfigError, type CrawlConfig } from '../../config/index.js'
import { LIMITS } from '../../model/index.js'
import { hostOf, siteOf } from '../../model/url/index.js'
import { addressGuard } from '../../page/fetch/connect/index.js'
import { SourceTable } from '../../page/source/index.js'
import { readCrawlFile } from '../directory/index.js'

/**
 * Throws before anything is written for seeds that would fail later: too long, or on the user's own network.
 */
export function checkSeeds(config: CrawlConfig): void {
  const long = config.seeds.find(seed => seed.length > LIMITS.urlChars)
  if (long !== undefined)
    throw new ConfigError(`${long.slice(0, 60)}… has more than ${LIMITS.urlChars} characters`)
  if (config.allowPrivate) return
  const forbids = addressGuard(false, config.allowNetwork)
  const sources = new SourceTable(config.source)
  for (const seed of config.seeds) {
    if (sources.find(seed) !== null) continue
    const host = hostOf(siteOf(seed)).replace(/^\[|\]$/g, '')
    const address = host === 'localhost' || host.endsWith('.localhost') ? '127.0.0.1' : host
    const local = isIP(address) > 0 && forbids(address) !== null
    if (local && !config.resolve.some(entry => entry.startsWith(`${host}=`)))
      throw new ConfigError(`${seed} is on your own machine or network; add --allow-private to crawl it`)
  }
}

/** Throws a ConfigError for missing files, and for options that belong to another assignment. */
export function checkPaths(config: CrawlConfig): void {
  const { previous, guest, trusted, keywords, keep, truth, graph, nets, assign } = config
  if (graph.length > 0 && assign !== 'graph') throw new ConfigError('--graph is for --assign graph')
  if (nets === 'site' && assign !== 'hypergraph' && assign !== 'hybrid')
    throw new ConfigError('--nets site is for --assign hypergraph and hybrid')
  if (previous !== undefined) readCrawlFile(previous)
  if (guest !== undefined && !existsSync(guest)) throw new ConfigError(`--guest: there is no file ${guest}`)
  if (guest === undefined && trusted) throw new ConfigError('--trusted is for a --guest')
  if (guest === undefined && keep === 'part' && keywords.length === 0)
    throw new ConfigError('--keep part needs --keywords, or a --guest with filter')
  if (truth !== undefined && !existsSync(truth)) throw new ConfigError(`--truth: there is no file ${truth}`)
}
