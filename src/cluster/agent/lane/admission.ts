/** Admits a new URL to the queue of its own cell, or settles it at once if a trap rule refuses it. */

import type { Discovery, OutcomeCode, TrapName } from '../../../model/index.js'
import type { FrontierEntry } from '../../../page/frontier/index.js'
import type { OpenPack } from '../pack/index.js'
import type { PageFaults, SiteCrawl } from '../site/index.js'

export type Refuse = (site: SiteCrawl, entry: FrontierEntry, code: OutcomeCode, detail: string) => void

export class Admission {
  readonly #refuse: Refuse
  readonly #faults: PageFaults

  constructor(refuse: Refuse, faults: PageFaults) {
    this.#refuse = refuse
    this.#faults = faults
  }

  /** The frontier must not know the URL at this depth. */
  admit(site: SiteCrawl, pack: OpenPack, discovery: Discovery): void {
    const standing = site.frontier.standingOf(discovery.url)
    if (standing === 'refused') return
    const rule = standing === 'new' ? this.#judge(site, discovery) : null
    if (rule === null) {
      if (site.frontier.offer(discovery)) pack.cellFor(site).discovered(discovery)
      return
    }
    // In the journal the outcome follows the discovery: from that a rebuild knows the decision.
    site.frontier.refuse(discovery)
    pack.cellFor(site).discovered(discovery)
    this.#refuse(site, { ...discovery, attempt: 1 }, `TRAP:${rule}`, '')
  }

  /** The rules are heuristics: if they throw, the URL is requested. */
  #judge(site: SiteCrawl, discovery: Discovery): TrapName | null {
    try {
      return site.traps.judge(discovery)
    } catch (error) {
      this.#faults.caught(discovery.url, error)
      return null
    }
  }
}
