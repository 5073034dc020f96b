/** Joins the parts of an agent between an answer and the links that go on from it. */
import type { CrawlConfig } from '../config/index.js'
import type { CellMap } from '../model/cell-map.js'
import { uuid } from '../model/random.js'
import { readTraps } from '../model/trap.js'
import { Admission } from './admission.js'
import type { AgentInput } from './agent-input.js'
import type { Counters } from './counters.js'
import { rulesOfPage } from './page-robots.js'
import { Router } from './router.js'
import type { SentLinks } from './sent-links.js'
import { Settler } from './settler.js'
import { SitemapDesk } from './sitemap-desk.js'
import type { Transmitter } from './transmitter.js'

interface Links {
  readonly settler: Settler
  readonly admission: Admission
  readonly sitemaps: SitemapDesk
  readonly traps: NonNullable<ReturnType<typeof readTraps>>
}

export function joinLinks(
  input: AgentInput,
  transmitter: Transmitter,
  sent: SentLinks,
  cells: CellMap,
  counters: Counters,
): Links {
  const { config, clock, random, scope, hooks, archives } = input
  const pack = () => transmitter.pack
  const tables = config.tables !== 'none'
  const linkRows = tables ? config.links : 'none'
  const traps = readTraps(config.traps) ?? new Set()
  const hosts = traps.has('subdomains') ? input.hosts : null
  const admission: Admission = new Admission((site, entry, code, detail) =>
    settler.refuse(site, entry, code, detail),
  )
  const router = new Router({
    assets: config.assets,
    obeysNofollow: config.robots !== 'ignore',
    scope,
    hooks,
    cells,
    sent,
    linkRows,
    admission,
    hosts,
    dropsSessionIds: traps.has('session-ids'),
  })
  const sitemaps = new SitemapDesk({ scope, router, pack, fromRobots: readsRobotsSitemaps(config) })
  const settler: Settler = new Settler({
    clock,
    random,
    counters,
    hooks,
    router,
    sitemaps,
    hosts,
    unlikelyName: () => uuid(random),
    pack,
    pageRules: (page, exchange) => rulesOfPage(config.robots, page, exchange, clock.now()),
    assets: config.assets,
    sent: linkRows === 'none' ? sent : null,
    wantAllLinks: linkRows === 'all' || hooks.onPage !== undefined,
    wantText: tables || hooks.onPage !== undefined,
    archive: archives,
    keepsRows: archives || tables,
    maxWaitMs: config.maxWait * 1000,
    maxTries: config.tries ?? Number.POSITIVE_INFINITY,
    onSeedRedirect: target => {
      if (scope.accepts(target)) return
      scope.widenTo(target)
      input.onScopeWidened(target)
    },
  })
  return { settler, admission, sitemaps, traps }
}

/** A limit on depth means links, and one page is one page: there sitemaps are read only when asked for. */
function readsRobotsSitemaps({ sitemap, maxDepth, scope }: CrawlConfig): boolean {
  if (sitemap.includes('none') || scope === 'page') return false
  return sitemap.includes('robots') || maxDepth === undefined
}
