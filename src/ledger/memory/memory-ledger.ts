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
    ...callsOf(incarnations, 'join', 'takeSeat', 'takeBudget', 'agents'),
    ...callsOf(cells, 'leave', 'closeSilent', 'endAllLeases', 'heartbeat', 'waiting', 'grant', 'leases'),
    ...callsOf(cells, 'estimate', 'rankBySize', 'release', 'finish', 'park', 'defer', 'rest'),
    ...callsOf(cells, 'tryEnd', 'reopen'),
    ...callsOf(packs, 'append', 'appendLinks', 'readInbox', 'readJournal', 'readJournals', 'commit'),
    ...callsOf(packs, 'loadOrigins', 'saveOrigin', 'refusedOrigins', 'saveMeta', 'saveFacts', 'loadMeta'),
    ...callsOf(packs, 'files', 'swapFiles'),
    ...callsOf(turns, 'takeTurn', 'releaseTurn', 'saveWait', 'joinAddresses'),
    ...callsOf(work, 'readHeard', 'agentWork'),
    countWaiting: async limit => Math.min(state.counts.waiting, limit),
    bind: async cells => bindCells(state, cells),
    laneLoads: async () => laneLoads(state),
    split: async (cell, epoch, lastPack, children) => splitCell(state, cell, epoch, lastPack, children),
    waits: async groups => groups.map(group => turns.waitOf(group)),
    settings: async () => state.settings,
    set: async values => saveSettings(state, values),
    crawlState: async () => crawlStateOf(state),
    totals: async () => totalsOf(state),
    health: async () => ({ weaknesses: [], longTransactions: [] }),
    parked: async limit => parkedOf(state, limit),
    sites: async (after, limit, which) => sitesOf(state, after, limit, which),
    close: async () => {},
  }
}

type Synchronous<Name extends keyof Ledger> = {
  [K in Name]: (...args: Parameters<Ledger[K]>) => Awaited<ReturnType<Ledger[K]>>
}

/** Methods of one part as calls of the port. */
function callsOf<Name extends keyof Ledger>(owner: Synchronous<Name>, ...names: Name[]): Pick<Ledger, Name> {
  const calls = names.map(name => [name, async (...args: Parameters<Ledger[Name]>) => owner[name](...args)])
  return Object.fromEntries(calls) as Pick<Ledger, Name>
}

function saveSettings(state: MemoryState, values: Readonly<Record<string, string>>): void {
  state.settings = { ...state.settings, ...values }
  const isPublic = ([name]: [string, string]) => !INTERNAL_SETTINGS.some(start => name.startsWith(start))
  state.publicSettings = Object.fromEntries(Object.entries(state.settings).filter(isPublic))
  const { maxPages } = values
  if (maxPages !== undefined) state.maxPages = maxPages === '' ? null : Number(maxPages)
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
