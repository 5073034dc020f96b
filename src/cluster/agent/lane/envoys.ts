/** What a lane asks for a site that a host crawls at its source (`migrate/`). */
import type { Millis } from '../../../model/index.js'
import type { FetchResult } from '../../../page/fetch/index.js'
import type { FrontierEntry } from '../../../page/frontier/index.js'
import type { SiteCrawl } from '../site/index.js'

/** `later`: ask again after a while. `server`: request it from the server of the site. */
export type EnvoyAnswer =
  | { readonly is: 'response'; readonly result: FetchResult }
  | { readonly is: 'later' }
  | { readonly is: 'server' }

/** Port: tours of hosts for the sites of this agent. */
export interface Envoys {
  /** True if a tour can begin with this URL. */
  mayBegin(site: SiteCrawl, entry: FrontierEntry): boolean
  /** Sends an envoy. Call it in the site's turn; if the host refuses, the next answers are `server`. */
  begin(site: SiteCrawl, entry: FrontierEntry): Promise<void>
  /** Waits for what the tour brings; never longer than the host may read. */
  answer(site: SiteCrawl, entry: FrontierEntry): Promise<EnvoyAnswer>
  /** True once after a tour: the site's pause counts from now. */
  hasReturned(site: SiteCrawl): boolean
  /** Ends the tour of a site that is left; resolves when its host sends no further request. */
  end(site: SiteCrawl): Promise<void>
}

/** What tours need of their agent. */
export interface EnvoyAgent {
  /** What is left of its leases. */
  readonly leftMs: () => Millis
  /** The least pause between two requests to a site. */
  readonly leastDelayMs: () => Millis
}
