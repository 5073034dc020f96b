/** Takes a new URL into its own cell: into the queue, or straight to its outcome where a trap rule refuses it. */
import type { FrontierEntry } from '../frontier/index.js'
import type { Discovery } from '../model/cell.js'
import type { OutcomeCode } from '../model/outcome.js'
import type { OpenPack } from './open-pack.js'
import type { SiteCrawl } from './site-crawl.js'

export type Refuse = (site: SiteCrawl, entry: FrontierEntry, code: OutcomeCode, detail: string) => void

export class Admission {
  readonly #refuse: Refuse

  constructor(refuse: Refuse) {
    this.#refuse = refuse
  }

  /** The frontier must not know the URL at this depth. */
  admit(site: SiteCrawl, pack: OpenPack, discovery: Discovery): void {
    const standing = site.frontier.standingOf(discovery.url)
    if (standing === 'refused') return
    const rule = standing === 'new' ? site.traps.judge(discovery) : null
    if (rule === null) {
      if (site.frontier.offer(discovery)) pack.share(site).discovered(discovery)
      return
    }
    // Its outcome stands right behind it in the journal: that is how a rebuild knows what was decided.
    site.frontier.refuse(discovery)
    pack.share(site).discovered(discovery)
    this.#refuse(site, { ...discovery, attempt: 1 }, `TRAP:${rule}`, '')
  }
}
