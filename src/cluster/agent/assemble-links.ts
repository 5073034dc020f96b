/** Joins the parts of an agent between an answer and the links that go on from it. */
import type { CrawlConfig } from '../../config/index.js'
import { type CellMap, readTraps, uuid } from '../../model/index.js'
import { parsePage } from '../../page/parse/index.js'
import type { AgentInput } from './agent-input.js'
import { Admission, ResponseHandler, Router, rulesOfPage, SitemapHandler } from './lane/index.js'
import type { OpenPack, SentLinks } from './pack/index.js'
import { type Counters, PageFaults } from './site/index.js'

interface Links {
  readonly responseHandler: ResponseHandler
  readonly admission: Admission
  readonly sitemaps: SitemapHandler
  readonly faults: PageFaults
  readonly traps: NonNullable<ReturnType<typeof readTraps>>
}

type LinksInput = Pick<
  AgentInput,
  | 'config'
  | 'clock'
  | 'random'
  | 'scope'
  | 'hooks'
  | 'hosts'
  | 'archives'
  | 'parse'
  | 'log'
  | 'onScopeWidened'
>

/** `pack` is the one that is filling. */
export function joinLinks(
  input: LinksInput,
  pack: () => OpenPack,
  sent: SentLinks,
  cells: CellMap,
  counters: Counters,
): Links {
  const { config, clock, random, scope, hooks, archives } = input
  const tables = config.tables !== 'none'
  const linkRows = tables ? config.links : 'none'
  const traps = readTraps(config.traps) ?? new Set()
  const hosts = traps.has('subdomains') ? input.hosts : null
  const faults = new PageFaults(input.log)
  const admission: Admission = new Admission(
    (site, entry, code, detail) => responseHandler.refuse(site, entry, code, detail),
    faults,
  )
  const router = new Router({
    assets: config.assets,
    obeysNofollow: config.robots !== 'ignore',
    scope,
    hooks,
    faults,
    cells,
    sent,
    linkRows,
    admission,
    hosts,
    dropsSessionIds: traps.has('session-ids'),
  })
  const sitemaps = new SitemapHandler({
    scope,
    router,
    pack,
    faults,
    fromRobots: readsRobotsSitemaps(config),
  })
  const responseHandler: ResponseHandler = new ResponseHandler({
    clock,
    random,
    counters,
    hooks,
    faults,
    parse: input.parse ?? parsePage,
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
  return { responseHandler, admission, sitemaps, faults, traps }
}

/** A limit on depth means links, and one page is one page: there sitemaps are read only when asked for. */
function readsRobotsSitemaps({ sitemap, maxDepth, scope }: CrawlConfig): boolean {
  if (sitemap.includes('none') || scope === 'page') return false
  return sitemap.includes('robots') || maxDepth === undefined
}
