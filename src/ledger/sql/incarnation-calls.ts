/** Incarnations of agents: how they begin, stay and end; and the end of the crawl. */
import type { Millis } from '../../model/index.js'
import { CELL_STATES, type FinishReason, type Heartbeat, type Incarnation, MOST_COUNTED } from '../index.js'
import { endOfCrawl, isRenewable } from '../rules/index.js'
import { countWaiting } from './cell-calls.js'
import { isCrawlOpen, openIncarnations, publicSettings, shareOf, silentIncarnations } from './crawl-calls.js'
import type { Engine } from './engine.js'
import { HELD, LOCKED, lockedCell, reclaimExpired, toHead, wakeRested } from './queue-calls.js'
import type { Steps } from './sql-steps.js'
import { leaveTurns } from './turn-calls.js'

export function* join({ now, timeline }: Engine, agent: string, lanes = 1): Steps<Incarnation> {
  const [column, value] = timeline === null ? ['', ''] : [', timeline', `, ${timeline}`]
  const [[incarnation]] = yield [
    `INSERT INTO agent (name, open, started_at, heartbeat_at, budget, status, lanes${column})
     VALUES ($1, 1, $2, $2, 0, '{}', $3${value}) RETURNING incarnation`,
    agent,
    now,
    lanes,
  ]
  return Number(incarnation)
}

/**
 * Ends an incarnation: frees the rest of its page budget and returns its cells to the head of the queue
 * (D16).
 */
export function* leave(engine: Engine, incarnation: Incarnation): Steps<void> {
  yield ['UPDATE agent SET open = 0, budget = 0 WHERE incarnation = $1', incarnation]
  const held = yield [
    `SELECT ${LOCKED} FROM cell WHERE agent = $1 AND ${HELD} ORDER BY cell FOR UPDATE`,
    incarnation,
  ]
  yield* toHead(engine, held.map(lockedCell))
  yield* leaveTurns(engine, incarnation)
}

export function* closeSilent(engine: Engine, silentMs: Millis): Steps<Incarnation[]> {
  const silent = yield* silentIncarnations(engine.now, silentMs)
  for (const incarnation of silent) yield* leave(engine, incarnation)
  return silent
}

export function* endAllLeases(engine: Engine): Steps<void> {
  for (const incarnation of yield* openIncarnations()) yield* leave(engine, incarnation)
}

/**
 * A server that was promoted may lack the last transactions of the old primary, so what an incarnation
 * remembers (queues, leases, links it has sent) may be wrong. The incarnation commits nothing more and must
 * start anew. A process that only coordinates remembers nothing.
 */
export function isOfThisTimeline(timeline: Engine['timeline']): string {
  return timeline === null ? 'true' : `(agent.lanes = 0 OR agent.timeline = ${timeline})`
}

/** The crawl row is written last: all agents write it, and its lock should be short. */
export function* heartbeat(
  engine: Engine,
  incarnation: Incarnation,
  leaseMs: Millis,
  status: string,
): Steps<Heartbeat> {
  const { now, timeline, lastGrant } = engine
  const crawlOpen = yield* isCrawlOpen()
  const [agent] = yield [
    `UPDATE agent SET heartbeat_at = $1, status = $2 WHERE incarnation = $3 AND open = 1
     RETURNING ${isOfThisTimeline(timeline)}`,
    now,
    status,
    incarnation,
  ]
  const incarnationOpen = Boolean(agent?.[0])
  const held = incarnationOpen ? yield* renew(engine, incarnation, leaseMs) : []
  yield* wakeRested(engine)
  const waiting = yield* countWaiting(MOST_COUNTED)
  const settings = yield* publicSettings()
  const share = yield* shareOf(incarnation)
  // `gapAfter` (`rules/`); a server that was promoted is a gap as well. The agent's row is locked: grants to
  // this incarnation are committed already, or get a higher number.
  const [isOther, keep] =
    timeline === null ? ['', ''] : [`OR timeline <> ${timeline}`, `timeline = ${timeline},`]
  const [[grants]] = yield [
    `UPDATE crawl SET last_heartbeat = greatest(last_heartbeat, $1), ${keep}
       gap_until = CASE WHEN last_heartbeat > 0 AND $1 - last_heartbeat > $2 ${isOther}
         THEN $1 + $2 ELSE gap_until END
     RETURNING ${lastGrant}`,
    now,
    leaseMs,
  ]
  return { now, held, grants: Number(grants), waiting, settings, crawlOpen, incarnationOpen, share }
}

/** The turns of leases whose time is over are locked against claims in parallel transactions. */
function* renew({ now }: Engine, incarnation: Incarnation, leaseMs: Millis): Steps<Heartbeat['held']> {
  const held = yield [
    `SELECT cell, grp, lease_until FROM cell WHERE agent = $1 AND ${HELD} ORDER BY cell FOR UPDATE`,
    incarnation,
  ]
  const late = held.flatMap(([, group, until]) => (Number(until) < now ? [String(group)] : []))
  const turns =
    late.length === 0
      ? []
      : yield [
          'SELECT grp FROM turn WHERE grp = ANY($1::text[]) AND agent = $2 ORDER BY grp FOR SHARE',
          [...new Set(late)],
          incarnation,
        ]
  const kept = new Set(turns.map(([group]) => String(group)))
  const renewed = held.filter(([, group, until]) => isRenewable(Number(until), now, kept.has(String(group))))
  if (renewed.length === 0) return []
  const rows = yield [
    'UPDATE cell SET lease_until = $1 WHERE cell = ANY($2::text[]) RETURNING cell, epoch, appended',
    now + leaseMs,
    renewed.map(([cell]) => String(cell)),
  ]
  return rows.map(([cell, epoch, appended]) => ({
    cell: String(cell),
    epoch: Number(epoch),
    appended: Number(appended),
  }))
}

/** The first cell of each state is found in the index: a count would read all of them. */
const STATES_IN_USE = `SELECT ${CELL_STATES.map(
  state => `(SELECT state FROM cell WHERE state = '${state}' ORDER BY rank LIMIT 1)`,
).join(', ')}`

/**
 * The lock on the crawl row puts every append, commit and grant either before the end or after it. While a
 * lease is in force there is no end, and the lock is not needed.
 */
export function* tryEnd(engine: Engine): Steps<FinishReason | null> {
  const inForce = yield [`SELECT 1 FROM cell WHERE ${HELD} AND lease_until >= $1 LIMIT 1`, engine.now]
  if (inForce.length > 0) return null
  const [[state, max, reason]] = yield ['SELECT state, max_pages, finish_reason FROM crawl FOR UPDATE']
  if (state === 'closed') return String(reason) as FinishReason
  yield* reclaimExpired(engine)
  const [states] = yield [STATES_IN_USE]
  const [[pages]] = yield ['SELECT coalesce(sum(pages), 0) FROM agent']
  const why = endOfCrawl(
    Object.fromEntries(states.flatMap(name => (name === null ? [] : [[String(name), 1]]))),
    Number(pages),
    max === null ? null : Number(max),
  )
  if (why === null) return null
  yield [`UPDATE crawl SET state = 'closed', finish_reason = $1, pages = $2`, why, Number(pages)]
  return why
}
