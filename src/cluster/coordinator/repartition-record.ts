/**
 * The record of a repartition: its predicted gain and cost, and what then happened, in the same quantities.
 * Before and after are spans of the crawl, from the end of one repartition to the next, or to the end.
 */

import type { Ledger } from '../../ledger/index.js'
import type { Millis } from '../../model/index.js'
import type { Repartition } from '../../plan/assign/learned/index.js'

export type Reason = 'time' | 'joined' | 'left'

interface Pace {
  readonly pagesPerSecond: number
  readonly messagesPerPage: number
}

/**
 * The predicted times until the agent with the most work has fetched the rest and has sent its links (S10,
 * S11).
 */
interface PredictedPace extends Pace {
  readonly downloadMs: Millis
  readonly exchangeMs: Millis
}

/** The predicted gain and cost of a repartition. */
export interface Predicted {
  /** Queued URLs. */
  readonly left: number
  /** Time saved for the download of the remaining pages and the exchange of their links. */
  readonly gainMs: Millis
  /** Time until the new agent has leased the last cell that moves; 0 if no leased cell has to move (S12). */
  readonly relocationMs: Millis
  /** Sites with work left that get another agent, and how many of them are leased and must be released. */
  readonly movedSites: number
  readonly askedBack: number
  readonly before: PredictedPace
  readonly after: PredictedPace
}

export function predictedOf(plan: Omit<Repartition, 'plan' | 'owners'>): Predicted {
  const { left, gainMs, relocationMs, movedSites, askedBack, before, after } = plan
  const paceOf = ({ downloadMs, exchangeMs, messages }: Repartition['before']): PredictedPace => ({
    downloadMs: Math.round(downloadMs),
    exchangeMs: Math.round(exchangeMs),
    pagesPerSecond: (1000 * left) / Math.max(1, downloadMs + exchangeMs),
    messagesPerPage: messages / Math.max(1, left),
  })
  return {
    left,
    gainMs: Math.round(gainMs),
    relocationMs: Math.round(relocationMs),
    movedSites,
    askedBack,
    before: paceOf(before),
    after: paceOf(after),
  }
}

/** What was measured. */
export interface Moved {
  readonly movedSites: number
  readonly askedBack: number
  /** How many of them had to be released by force. */
  readonly forced: number
  readonly relocationMs: Millis
}

/** The progress of the crawl at one time. */
export interface Mark {
  /** By the clock of the coordinator. */
  readonly at: Millis
  readonly pages: number
  readonly messages: number
}

export interface Span {
  readonly from: Mark
  readonly to: Mark
}

export interface RepartitionRecord {
  readonly at: Millis
  readonly why: Reason
  readonly agents: number
  readonly isWorth: boolean
  readonly predicted: Predicted
  /** Null while cells move, and if the repartition was not worth it. */
  readonly moved: Moved | null
  /** The spans before the decision and after the last move; null if not worth it, or not over. */
  readonly before: Span | null
  readonly after: Span | null
}

/** Settings with the records, oldest first, and with the present span. */
export const REPARTITIONS = 'seat.repartitions'
export const SPAN = 'seat.span'
const KEPT_RECORDS = 50

export async function markOf(ledger: Ledger, now: Millis): Promise<Mark> {
  const work = await ledger.agentWork()
  const sum = (of: (agent: (typeof work)[number]) => number) =>
    work.reduce((total, agent) => total + of(agent), 0)
  return { at: now, pages: sum(({ pages }) => pages), messages: sum(({ messages }) => messages) }
}

export function recordsIn(settings: Readonly<Record<string, string>>): RepartitionRecord[] {
  return JSON.parse(settings[REPARTITIONS] ?? '[]') as RepartitionRecord[]
}

export function spanIn(settings: Readonly<Record<string, string>>): Span | null {
  return JSON.parse(settings[SPAN] ?? 'null') as Span | null
}

/** Adds the record, or replaces the one of the same time. */
export function withRecord(records: readonly RepartitionRecord[], record: RepartitionRecord): string {
  const others = records.filter(({ at }) => at !== record.at)
  return JSON.stringify([...others, record].slice(-KEPT_RECORDS))
}

/** Adds the span after the last repartition that was made. */
export function withAfter(records: readonly RepartitionRecord[], after: Span): RepartitionRecord[] {
  const last = records.findLast(({ before }) => before !== null)
  return records.map(record => (record === last && record.after === null ? { ...record, after } : record))
}

export interface MeasuredPace extends Pace {
  readonly seconds: number
}

/** Null if the span is empty. */
export function paceIn(span: Span | null): MeasuredPace | null {
  if (span === null || span.to.at <= span.from.at) return null
  const seconds = (span.to.at - span.from.at) / 1000
  const pages = span.to.pages - span.from.pages
  return {
    seconds,
    pagesPerSecond: pages / seconds,
    messagesPerPage: pages > 0 ? (span.to.messages - span.from.messages) / pages : 0,
  }
}
