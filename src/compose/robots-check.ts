/** Requests the live robots.txt of an origin once and decides as a crawl would. */
import { ConfigError, type CrawlConfigInput, checkConfig } from '../config/index.js'
import { originOf } from '../model/url/index.js'
import { type Qualification, qualify, type RobotsMode } from '../page/robots/index.js'
import { checkSeeds } from '../runtime/settings/index.js'
import { openFetcher } from './open-fetcher.js'
import { systemClock as clock } from './system-clock.js'

export interface RobotsCheck extends Pick<CrawlConfigInput, 'allowPrivate' | 'resolve' | 'dns'> {
  /** Normalised. */
  readonly url: string
  readonly mode: RobotsMode
}

/** Throws a ConfigError when the address guard forbids it. */
export async function checkRobots(look: RobotsCheck, signal: AbortSignal): Promise<Qualification> {
  const { url, mode, ...network } = look
  const config = checkConfig({ ...network, seeds: [url] })
  checkSeeds(config)
  const fetcher = openFetcher(config)
  try {
    // A single request for a user waits for no politeness turn.
    const turns = { before: async () => true as const, after: () => {} }
    const found = await qualify(originOf(url), mode, { fetcher, clock, turns }, signal)
    if ('is' in found) throw new ConfigError('stopped')
    if (found.code === 'ADDRESS_FORBIDDEN')
      throw new ConfigError(`${found.detail}; add --allow-private to request it`)
    return found
  } finally {
    await fetcher.close()
  }
}
