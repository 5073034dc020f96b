/** Builds the parts of an agent that settle responses and route links. */
import type { CrawlConfig } from '../../config/index.js'
import { type Exchange, uuid } from '../../model/index.js'
import { parsePage } from '../../page/parse/index.js'
import type { AgentInput } from './agent-input.js'
import type { AgentCore } from './assemble-core.js'
import {
  Admission,
  PageRecorder,
  ResponseHandler,
  Router,
  rulesOfPage,
  SitemapHandler,
} from './lane/index.js'
import type { OpenPack } from './pack/index.js'

type LinksInput = Pick<
  AgentInput,
  | 'config'
  | 'clock'
  | 'random'
  | 'scope'
  | 'guest'
  | 'readPage'
  | 'hosts'
  | 'archives'
  | 'parse'
  | 'onScopeWidened'
>
type LinksCore = Pick<
  AgentCore,
  'counters' | 'cells' | 'sent' | 'faults' | 'traps' | 'isLocal' | 'maxWaitMs' | 'maxTries'
>

export type AgentLinks = ReturnType<typeof linksOf>

/** `pack` returns the pack that is filling. */
export function linksOf(input: LinksInput, core: LinksCore, pack: () => OpenPack) {
  const { config, clock, random, scope, guest, readPage, archives } = input
  const { counters, cells, sent, faults, traps, isLocal, maxWaitMs, maxTries } = core
  const tables = config.tables !== 'none'
  const linkRows = tables ? config.links : 'none'
  const hosts = traps.has('subdomains') ? input.hosts : null
  const pageRules = (page: string, exchange: Exchange) =>
    rulesOfPage(config.robots, page, exchange, clock.now())
  const keepsRows = archives || tables
  const recorder = new PageRecorder({ clock, counters, pack, faults, pageRules, keepsRows })
  const admission = new Admission(
    (site, entry, code, detail) => recorder.refuse(site, entry, code, detail),
    faults,
  )
  const router = new Router({
    assets: config.assets,
    obeysNofollow: config.robots !== 'ignore',
    scope,
    faults,
    cells,
    sent,
    linkRows,
    admission,
    hosts,
    dropsSessionIds: traps.has('session-ids'),
  })
  const fromRobots = readsRobotsSitemaps(config)
  const sitemaps = new SitemapHandler({ scope, router, pack, faults, fromRobots, guest })
  const responseHandler = new ResponseHandler({
    clock,
    random,
    counters,
    guest,
    readPage,
    faults,
    parse: input.parse ?? parsePage,
    router,
    recorder,
    sitemaps,
    hosts,
    unlikelyName: () => uuid(random),
    pack,
    pageRules,
    assets: config.assets,
    sent: linkRows === 'none' ? sent : null,
    wantAllLinks: linkRows === 'all' || guest?.readsLinks === true || readPage !== null,
    wantText: tables || guest !== null || readPage !== null,
    archive: archives,
    isLocal,
    maxWaitMs,
    maxTries,
    onSeedRedirect: target => {
      if (scope.accepts(target)) return
      scope.widenTo(target)
      input.onScopeWidened(target)
    },
  })
  return { responseHandler, recorder, admission, sitemaps }
}

/** With `--max-depth`, or for a single page, sitemaps are read only if the user asks for them. */
function readsRobotsSitemaps({ sitemap, maxDepth, scope }: CrawlConfig): boolean {
  if (sitemap.includes('none') || scope === 'page') return false
  return sitemap.includes('robots') || maxDepth === undefined
}
