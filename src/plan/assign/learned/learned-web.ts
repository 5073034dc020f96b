import type { AgentAbility } from './agent-shares.js'

/** What an earlier crawl has learned about a site. */
export interface LearnedSite {
  /** host[:port]. */
  readonly site: string
  readonly pages: number
  readonly bytes: number
  readonly fetchMs: number
  /** The number of pages that were requested again, and of those that had changed. */
  readonly checked: number
  readonly changed: number
  /** The addresses of its servers. */
  readonly addresses: readonly string[]
  /** The least time to connect, by the name of the agent. */
  readonly connectMs: Readonly<Record<string, number>>
  /** A sketch of the words of its pages (`model/bytes/word-sketch.ts`); absent if no text was seen. */
  readonly words?: string
}

/**
 * What an earlier crawl has learned about its web. Each page with links to other sites has a net. Its pins
 * are indexes of `sites`: first the page's own site, then the sites it links to. Most equal nets are merged,
 * with a count.
 */
export interface LearnedWeb {
  /** The measured abilities of agents; absent if nothing was measured. */
  readonly agents?: readonly AgentAbility[]
  readonly sites: readonly LearnedSite[]
  /** Pins of net e: pins[netOffsets[e] .. netOffsets[e + 1]). */
  readonly netOffsets: Uint32Array
  readonly pins: Uint32Array
  /** The number of pages with this net. */
  readonly counts: Float64Array
}
