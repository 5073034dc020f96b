/**
 * What is written down of a repartition: what it was to bring and to cost, and what then happened, in the
 * same quantities. The time before it and the time after it are spans of the crawl: from the end of one
 * repartition to the next, or to the end.
 */

import type { Ledger } from '../../ledger/index.js'
import type { Millis } from '../../model/index.js'
import type { Repartition } from '../../plan/assign/learned/index.js'

export type Reason = 'time' | 'joined' | 'left'

interface Pace {
  readonly pagesPerSecond: number
  readonly messagesPerPage: number
}

/** S10, S11: until the agent with most to do has fetched what is left, and has sent its links. */
interface PredictedPace extends Pace {
  readonly downloadMs: Millis
  readonly exchangeMs: Millis
}

/** What moving is for, and what it costs. */
export interface Predicted {
  /** URLs that wait. */
  readonly left: number
  /** Of download and exchange of what is left. */
  readonly gainMs: Millis
  /** S12: until the last cell that has to be asked back is with its new agent; 0 where none has to. */
  readonly relocationMs: Millis
  /**
   * Sites with something left that get another agent, and of them those that are leased and have to be asked
   * back.
   */
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

/** The same, as it was. */
export interface Moved {
  readonly movedSites: number
  readonly askedBack: number
  /** Of those, how many did not come by themselves. */
  readonly forced: number
  readonly relocationMs: Millis
}

/** How far the crawl was. */
export interface Mark {
  /** Time of the coordinator. */
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
  /** Null while it is under way, and where nothing was done. */
  readonly moved: Moved | null
  /**
   * The crawl before it was decided, and after the last cell had moved; null where nothing was done, or it is
   * not over.
   */
  readonly before: Span | null
  readonly after: Span | null
}

/** Settings: the records, oldest first, and the span of the crawl that is not over yet. */
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

/** The record of one time takes the place of the one that was there before. */
export function withRecord(records: readonly RepartitionRecord[], record: RepartitionRecord): string {
  const others = records.filter(({ at }) => at !== record.at)
  return JSON.stringify([...others, record].slice(-KEPT_RECORDS))
}

/** Of the last change that was made, what came after it is known by now. */
export function withAfter(records: readonly RepartitionRecord[], after: Span): RepartitionRecord[] {
  const last = records.findLast(({ before }) => before !== null)
  return records.map(record => (record === last && record.after === null ? { ...record, after } : record))
}

interface MeasuredPace extends Pace {
  readonly seconds: number
}

/** Null where the span is too short to say anything. */
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
