/** The crawl as a whole: its settings, the coordinator's seat and the page budget. */
import type { Epoch, Millis } from '../../model/index.js'
import { type CrawlState, type FinishReason, INTERNAL_SETTINGS, type Incarnation } from '../index.js'
import { budgetBlock, isSeatFree } from '../rules/index.js'
import type { Engine } from './engine.js'
import type { Steps } from './sql-steps.js'

const SETTINGS = 'SELECT name, value FROM setting'
const isPublic = INTERNAL_SETTINGS.map(start => `name NOT LIKE '${start}%'`).join(' AND ')

export function* settings(): Steps<Record<string, string>> {
  return Object.fromEntries(yield [SETTINGS]) as Record<string, string>
}

export function* crawlState(): Steps<CrawlState> {
  const [[state, reason, lastIncarnation]] = yield [
    'SELECT state, finish_reason, (SELECT coalesce(max(incarnation), 0) FROM agent) FROM crawl',
  ]
  return {
    open: state === 'open',
    finishReason: reason === null ? null : (String(reason) as FinishReason),
    lastIncarnation: Number(lastIncarnation),
  }
}

/** The settings that travel with heartbeats. */
export function* publicSettings(): Steps<Record<string, string>> {
  return Object.fromEntries(yield [`${SETTINGS} WHERE ${isPublic}`]) as Record<string, string>
}

export function* saveSettings(_engine: Engine, values: Readonly<Record<string, string>>): Steps<void> {
  for (const name of Object.keys(values).sort())
    yield [
      `INSERT INTO setting (name, value) VALUES ($1, $2)
       ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
      name,
      values[name],
    ]
  const { maxPages } = values
  if (maxPages !== undefined)
    yield ['UPDATE crawl SET max_pages = $1', maxPages === '' ? null : Number(maxPages)]
}

/** Locks the crawl row in share mode, so that the crawl cannot end meanwhile. */
export function* isCrawlOpen(): Steps<boolean> {
  const [[state]] = yield ['SELECT state FROM crawl FOR KEY SHARE']
  return state === 'open'
}

export function* isIncarnationOpen(incarnation: Incarnation): Steps<boolean> {
  return (yield ['SELECT 1 FROM agent WHERE incarnation = $1 AND open = 1', incarnation]).length > 0
}

export function* takeSeat({ now }: Engine, incarnation: Incarnation, leaseMs: Millis): Steps<Epoch | null> {
  const [[holder, ...times]] = yield [
    'SELECT seat_agent, seat_until, gap_until, last_heartbeat FROM crawl FOR NO KEY UPDATE',
  ]
  if (!(yield* isIncarnationOpen(incarnation))) return null
  const [until, gapUntil, lastHeartbeat] = times.map(Number)
  const isHolderOpen = holder !== null && (yield* isIncarnationOpen(Number(holder)))
  const isFree = isSeatFree({ isHolderOpen, until }, now, { gapUntil, lastHeartbeat })
  if (holder !== incarnation && !isFree) return null
  const [[epoch]] = yield [
    `UPDATE crawl SET seat_epoch = seat_epoch + CASE WHEN seat_agent IS DISTINCT FROM $1 THEN 1 ELSE 0 END,
       seat_agent = $1, seat_until = $2 RETURNING seat_epoch`,
    incarnation,
    now + leaseMs,
  ]
  return Number(epoch)
}

/**
 * `held` is what the caller still has of its budget; the budgets of other incarnations are read from their
 * rows. The crawl row is locked after the row of the incarnation, in the same order as in a heartbeat, so
 * that claims run one after the other.
 */
export function* takeBudget(
  _engine: Engine,
  incarnation: Incarnation,
  held: number,
  want: number,
): Steps<{ granted: number; outstanding: number }> {
  const [[unlimited]] = yield ['SELECT max_pages IS NULL FROM crawl']
  if (unlimited) return { granted: want, outstanding: 0 }
  const [own] = yield ['SELECT open FROM agent WHERE incarnation = $1 FOR NO KEY UPDATE', incarnation]
  if (own?.[0] !== 1) return { granted: 0, outstanding: 0 }
  const [[max]] = yield ['SELECT max_pages FROM crawl FOR NO KEY UPDATE']
  const [sums] = yield [
    `SELECT coalesce(sum(pages), 0),
         coalesce(sum(budget) FILTER (WHERE open = 1 AND lanes > 0 AND incarnation <> $1), 0),
         count(*) FILTER (WHERE open = 1 AND lanes > 0 AND incarnation <> $1) FROM agent`,
    incarnation,
  ]
  const [pages, heldByOthers, others] = sums.map(Number)
  const limit = { maxPages: max === null ? null : Number(max), pages, others, heldByOthers }
  const block = budgetBlock(limit, held, want)
  yield ['UPDATE agent SET budget = $1 WHERE incarnation = $2', held + block.granted, incarnation]
  return block
}

/** The share of a crawling incarnation in the limits of the crawl. */
export function* shareOf(incarnation: Incarnation): Steps<number> {
  const [counts] = yield [
    'SELECT count(*), count(*) FILTER (WHERE incarnation = $1) FROM agent WHERE open = 1 AND lanes > 0',
    incarnation,
  ]
  const [incarnations, own] = counts.map(Number)
  return own === 0 ? 0 : 1 / incarnations
}

/** The incarnations for which `isSilent` (`rules/`) is true, the latest first. */
export function* silentIncarnations(now: Millis, silentMs: Millis): Steps<Incarnation[]> {
  const rows = yield [
    `SELECT incarnation FROM agent, crawl WHERE open = 1 AND heartbeat_at < $1 AND gap_until <= $2
     AND (last_heartbeat = 0 OR last_heartbeat >= $1) ORDER BY incarnation DESC`,
    now - silentMs,
    now,
  ]
  return rows.map(([incarnation]) => Number(incarnation))
}

/** Every open incarnation, the latest first. */
export function* openIncarnations(): Steps<Incarnation[]> {
  const rows = yield ['SELECT incarnation FROM agent WHERE open = 1 ORDER BY incarnation DESC']
  return rows.map(([incarnation]) => Number(incarnation))
}

export function* reopen(): Steps<void> {
  yield [`UPDATE crawl SET state = 'open', finish_reason = NULL`]
  yield [
    `UPDATE cell SET state = 'waiting' WHERE state = 'parked' OR state = 'finished' AND appended > consumed`,
  ]
}
