/**
 * The ledger in memory, for the simulator: the same contract without durability. The cost of a call depends
 * on the rows it asks for, not on the size of the crawl (a million cells, a thousand agents).
 */

import { type CellId, type Millis, siteOfCell } from '../../model/index.js'
import {
  type CrawlState,
  INTERNAL_SETTINGS,
  type Ledger,
  type OutcomeCount,
  type ParkedCell,
  type RefusedOrigins,
  type SiteSummary,
  type Totals,
} from '../index.js'
import { bindCells, laneLoads } from './memory-bindings.js'
import { MemoryCells } from './memory-cells.js'
import { MemoryIncarnations } from './memory-incarnations.js'
import { MemoryPacks } from './memory-packs.js'
import { splitCell } from './memory-splits.js'
import { type MemoryRule, MemoryState } from './memory-state.js'
import { MemoryTurns } from './memory-turns.js'
import { MemoryWork } from './memory-work.js'

export function openMemoryLedger(now: () => Millis, broken: MemoryRule | null = null): Ledger {
  const state = new MemoryState(broken)
  const turns = new MemoryTurns(state, now)
  const incarnations = new MemoryIncarnations(state, now)
  const cells = new MemoryCells(state, now, turns, incarnations)
  const work = new MemoryWork(state)
  const packs = new MemoryPacks(state, turns, work)
  return {
    join: async (name, lanes) => incarnations.join(name, lanes),
    leave: async incarnation => cells.leave(incarnation),
    closeSilent: async silentMs => cells.closeSilent(silentMs),
    takeSeat: async (incarnation, leaseMs) => incarnations.takeSeat(incarnation, leaseMs),
    endAllLeases: async () => cells.endAllLeases(),
    heartbeat: async (incarnation, leaseMs, status) => cells.heartbeat(incarnation, leaseMs, status),
    waiting: async (limit, eligible) => cells.waiting(limit, eligible),
    countWaiting: async limit => Math.min(state.counts.waiting, limit),
    grant: async (incarnation, wanted, leaseMs, delayMs, lane) =>
      cells.grant(incarnation, wanted, leaseMs, delayMs, lane),
    leases: async (incarnation, after) => cells.leases(incarnation, after),
    bind: async cells => bindCells(state, cells),
    laneLoads: async () => laneLoads(state),
    estimate: async sizes => cells.estimate(sizes),
    rankBySize: async () => cells.rankBySize(),
    release: async (cell, epoch, where) => cells.release(cell, epoch, where),
    finish: async (cell, epoch) => cells.finish(cell, epoch),
    park: async (cell, epoch, until, why) => cells.park(cell, epoch, until, why),
    defer: async waits => cells.defer(waits),
    rest: async (cell, epoch, until) => cells.rest(cell, epoch, until),
    split: async (cell, epoch, lastPack, children) => splitCell(state, cell, epoch, lastPack, children),
    append: async appends => packs.append(appends),
    appendLinks: async batch => packs.appendLinks(batch),
    readInbox: async (cell, after, limit) => packs.readInbox(cell, after, limit),
    readJournal: async (cell, from, maxBytes) => packs.readJournal(cell, from, maxBytes),
    readJournals: async (after, maxBytes) => packs.readJournals(after, maxBytes),
    readHeard: async (agent, after, limit) => work.readHeard(agent, after, limit),
    commit: async pack => packs.commit(pack),
    takeTurn: async (incarnation, group, leaseMs, delayMs) =>
      state.incarnationRow(incarnation)?.open ? turns.take(incarnation, group, leaseMs, delayMs) : null,
    releaseTurn: async (incarnation, group, nextAllowed) => turns.release(incarnation, group, nextAllowed),
    saveWait: async (group, nextAllowed, delayMs) => turns.saveWait(group, nextAllowed, delayMs),
    waits: async groups => groups.map(group => turns.waitOf(group)),
    joinAddresses: async (site, addresses, mostSites) => turns.joinAddresses(site, addresses, mostSites),
    loadOrigins: async cell => packs.loadOrigins(cell),
    saveOrigin: async (cell, origin) => packs.saveOrigin(cell, origin),
    refusedOrigins: async limit => refusedOrigins(packs, limit),
    saveMeta: async rows => packs.saveMeta(rows),
    saveFacts: async rows => packs.saveFacts(rows),
    loadMeta: async (cell, urls) => packs.loadMeta(cell, urls),
    takeBudget: async (incarnation, held, want) => incarnations.takeBudget(incarnation, held, want),
    settings: async () => state.settings,
    set: async values => saveSettings(state, values),
    files: async () => packs.files(),
    swapFiles: async (inputs, outputs, seat) => packs.swapFiles(inputs, outputs, seat),
    tryEnd: async () => cells.tryEnd(),
    reopen: async () => cells.reopen(),
    crawlState: async () => crawlStateOf(state),
    totals: async () => totalsOf(state),
    health: async () => ({ weaknesses: [], longTransactions: [] }),
    parked: async limit => parkedOf(state, limit),
    agents: async () => incarnations.agents(),
    agentWork: async () => work.agentWork(),
    sites: async (after, limit, which) => sitesOf(state, after, limit, which),
    close: async () => {},
  }
}

function saveSettings(state: MemoryState, values: Readonly<Record<string, string>>): void {
  state.settings = { ...state.settings, ...values }
  const isPublic = ([name]: [string, string]) => !INTERNAL_SETTINGS.some(start => name.startsWith(start))
  state.publicSettings = Object.fromEntries(Object.entries(state.settings).filter(isPublic))
  const { maxPages } = values
  if (maxPages !== undefined) state.maxPages = maxPages === '' ? null : Number(maxPages)
}

function refusedOrigins(packs: MemoryPacks, limit: number): RefusedOrigins {
  const refused = [...packs.origins()]
    .filter(({ verdict }) => verdict === 'unavailable')
    .sort((a, b) => (a.origin < b.origin ? -1 : 1))
  const first = refused.slice(0, limit).map(({ origin, checkedAt, failures, status, detail }) => ({
    origin,
    checkedAt,
    failures,
    status,
    detail,
  }))
  return { total: refused.length, first }
}

function crawlStateOf({ open, finishReason, incarnations }: MemoryState): CrawlState {
  return { open, finishReason, lastIncarnation: incarnations.length }
}

function totalsOf(state: MemoryState): Totals {
  const sum = { pages: 0, bytes: 0, discovered: 0, settled: 0, backlog: 0 }
  const outcomes = new Map<OutcomeCount['code'], { count: number; detail: string }>()
  for (const row of state.cells.values()) {
    sum.pages += row.pages
    sum.bytes += row.bytes
    sum.discovered += row.discovered
    sum.settled += row.settled
    sum.backlog += row.appended - row.consumed
    for (const { code, count, detail } of row.outcomes) {
      const known = outcomes.get(code) ?? { count: 0, detail: '' }
      const latest = [known.detail, detail].sort()[1]
      outcomes.set(code, { count: known.count + count, detail: latest })
    }
  }
  return {
    ...sum,
    ...crawlStateOf(state),
    cells: { ...state.counts },
    sites: new Set([...state.cells.keys()].map(siteOfCell)).size,
    outcomes: [...outcomes]
      .map(([code, { count, detail }]) => ({ code, count, detail }))
      .sort((a, b) => b.count - a.count),
  }
}

function parkedOf(state: MemoryState, limit: number): ParkedCell[] {
  return state.order.parked
    .first(limit, () => true)
    .map(row => ({
      cell: row.cell,
      until: row.parkedUntil,
      why: row.parkedWhy,
      queued: row.discovered - row.settled + row.appended - row.consumed,
    }))
}

function sitesOf(
  state: MemoryState,
  after: CellId,
  limit: number,
  which: 'all' | 'crawled' = 'all',
): SiteSummary[] {
  return [...state.cells.values()]
    .filter(({ cell, lastPack }) => cell > after && (which === 'all' || lastPack > 0))
    .sort((a, b) => (a.cell < b.cell ? -1 : 1))
    .slice(0, limit)
    .map(row => ({
      cell: row.cell,
      state: row.state,
      pages: row.pages,
      bytes: row.bytes,
      fetchMs: row.fetchMs,
      firstFetch: row.firstFetch,
      lastFetch: row.lastFetch,
      discovered: row.discovered,
      settled: row.settled,
      outcomes: row.outcomes,
    }))
}
