import { isIP } from 'node:net'
import { ConfigError, type CrawlConfig } from '../config/index.js'
import { isForbidden } from '../fetch/index.js'
import { hostOf, siteOf } from '../model/url.js'

/** Says before anything is made what would only fail later: a seed on the user's own machine or network. */
export function checkSeeds(config: CrawlConfig): void {
  if (config.allowPrivate) return
  for (const seed of config.seeds) {
    const host = hostOf(siteOf(seed)).replace(/^\[|\]$/g, '')
    const local =
      host === 'localhost' || host.endsWith('.localhost') || (isIP(host) > 0 && isForbidden(host) !== null)
    if (local && !config.resolve.some(entry => entry.startsWith(`${host}=`)))
      throw new ConfigError(`${seed} is on your own machine or network; add --allow-private to crawl it`)
  }
}
