/** Builds the lane of an agent with its politeness, its robots procedure and its requests. */
import { LIMITS, type MetaInfo, siteOfCell } from '../../model/index.js'
import { unconditional } from '../../page/fetch/http/index.js'
import type { Turns } from '../../page/politeness/index.js'
import type { AgentInput } from './agent-input.js'
import type { AgentCells } from './assemble-cells.js'
import type { AgentCore } from './assemble-core.js'
import type { AgentLinks } from './assemble-links.js'
import { Lane, LanePoliteness, PageRequests, Qualifier, RobotsArchive, UrlRules } from './lane/index.js'
import type { Transmitter } from './pack/index.js'

export function laneOf(
  input: AgentInput,
  core: AgentCore,
  turns: Turns,
  { slices }: AgentCells,
  transmitter: Transmitter,
  { responseHandler, recorder, sitemaps }: AgentLinks,
): Lane {
  const { clock, ledger, scope } = input
  const { settings, budget, stopping, leaseMargin, maxWaitMs, rate } = core
  const { signal } = stopping
  const lendsLane = () => slices.lendsLane()
  const politeness = new LanePoliteness({
    clock,
    rate,
    settings,
    leaseMargin,
    maxWaitMs,
    lendsLane,
    signal,
  })
  return new Lane({
    clock,
    rules: new UrlRules(core.maxDepth, site => scope.isBlacklisted(siteOfCell(site.cell))),
    qualifier: qualifierOf(input, core, turns, politeness, transmitter),
    politeness,
    budget,
    requests: requestsOf(input, core),
    responseHandler,
    recorder,
    transmitter,
    settings,
    metaOf: input.recrawl
      ? async (site, url) => metaFor(input, (await ledger.loadMeta(site.cell, [url])).get(url))
      : null,
    offerSitemaps: site => sitemaps.offer(site),
    endsSlice: site => slices.ends(site),
    signal,
  })
}

/** A guest judges every page anew, so it has to be sent: a 304 has none. */
function metaFor({ guest }: AgentInput, known: MetaInfo | undefined): MetaInfo | undefined {
  return guest === null || known === undefined ? known : unconditional(known)
}

function qualifierOf(
  { clock, config, bus, log }: AgentInput,
  { fetcher, leaseMargin, phases, maxWaitMs, faults, stopping }: AgentCore,
  turns: Turns,
  politeness: LanePoliteness,
  transmitter: Transmitter,
): Qualifier {
  const { signal } = stopping
  return new Qualifier({
    clock,
    fetcher,
    politeness,
    turns,
    leaseMargin,
    phases,
    mode: config.robots,
    maxWaitMs,
    announce: groups => bus.send({ kind: 'turn-request', groups }),
    archive: new RobotsArchive(transmitter, faults, signal),
    log,
    signal,
  })
}

function requestsOf({ config, readPage }: AgentInput, core: AgentCore): PageRequests {
  const { fetcher, leaseMargin, counters } = core
  return new PageRequests({
    fetcher,
    leaseMargin,
    counters,
    types: config.types,
    sitemapBytes: config.maxBody < LIMITS.bodyBytes ? config.maxBody : LIMITS.sitemapBytes,
    recycles: readPage === null,
  })
}
