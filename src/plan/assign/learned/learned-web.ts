import type { AgentAbility } from './agent-shares.js'

/** Port: what an earlier crawl has learned of a web, for assignments that plan with it (S1, H6). */
export interface LearnedSite {
  /** host[:port]. */
  readonly site: string
  readonly pages: number
  readonly bytes: number
  readonly fetchMs: number
  /** Pages that were asked for again, and how many of them had changed. */
  readonly checked: number
  readonly changed: number
  /** Where it was served from. */
  readonly addresses: readonly string[]
  /** Least time to connect, by the name of the agent that did. */
  readonly connectMs: Readonly<Record<string, number>>
  /** What its pages are about (`model/bytes/word-sketch.ts`); absent where no text was seen. */
  readonly words?: string
}

/**
 * Sites, and a net for each page with links that leave its site: pins are places in `sites`, the page's own
 * site first, then those it links to, each once. Equal nets are one, with a count; two equal ones may still
 * be there.
 */
export interface LearnedWeb {
  /** What agents were found able to do; absent where nothing is known of that. */
  readonly agents?: readonly AgentAbility[]
  readonly sites: readonly LearnedSite[]
  /** Pins of net e: pins[netOffsets[e] .. netOffsets[e + 1]). */
  readonly netOffsets: Uint32Array
  readonly pins: Uint32Array
  /** Pages that have this net. */
  readonly counts: Float64Array
}
