/**
 * Turns of groups: which incarnation may send requests to a group, and when next; waits; and the addresses
 * that are groups. Rows of turns are locked in the order of groups, after those of cells.
 */
import type { Epoch, GroupId, Millis } from '../../model/index.js'
import type { Site } from '../../model/url/index.js'
import type { Incarnation } from '../index.js'
import { type TurnHolder, turnClaim } from '../rules/index.js'
import type { Engine } from './engine.js'
import type { Steps } from './sql-steps.js'

interface Turn {
  readonly epoch: Epoch
  readonly nextAllowed: Millis
}

/** A turn whose last lease may have ended, with the time of that end. */
export interface Hold {
  readonly agent: Incarnation
  readonly grp: GroupId
  readonly until: Millis
}

interface TurnRow {
  readonly group: GroupId
  readonly holder: Incarnation | null
  readonly epoch: Epoch
  readonly leaseUntil: Millis
  readonly nextAllowed: Millis
  readonly delayMs: Millis
}

/**
 * Takes the turns that are available, by group. A turn that the caller already holds covers the new lease.
 */
export function* takeTurns(
  { now }: Engine,
  incarnation: Incarnation,
  groups: readonly GroupId[],
  leaseMs: Millis,
  delayMs: Millis,
): Steps<Map<GroupId, Turn>> {
  const rows = yield* lockTurns(groups)
  const holders = yield* holdersOf(rows, incarnation)
  const had = new Map<GroupId, Turn>()
  const kept: GroupId[] = []
  const taken: { readonly grp: GroupId; readonly next: Millis }[] = []
  for (const row of rows) {
    const { group, holder, epoch, nextAllowed } = row
    if (holder === incarnation) {
      had.set(group, { epoch, nextAllowed })
      kept.push(group)
      continue
    }
    const other = holder === null ? null : holders.get(holder)!
    const next = turnClaim(row, other, { now, leaseMs, delayMs })
    if (next === null) continue
    had.set(group, { epoch: epoch + 1, nextAllowed: next })
    taken.push({ grp: group, next: Math.ceil(next) })
  }
  if (kept.length > 0)
    yield [
      'UPDATE turn SET lease_until = greatest(lease_until, $1) WHERE grp = ANY($2::text[])',
      now + leaseMs,
      kept,
    ]
  if (taken.length > 0)
    yield [
      `UPDATE turn SET agent = $1, epoch = epoch + 1, lease_until = $2, next_allowed = taken.next
       FROM json_to_recordset($3::json) AS taken (grp text, next bigint) WHERE turn.grp = taken.grp`,
      incarnation,
      now + leaseMs,
      JSON.stringify(taken),
    ]
  return had
}

/** Null also for an incarnation that has ended: nobody would release the turn. */
export function* takeTurn(
  engine: Engine,
  incarnation: Incarnation,
  group: GroupId,
  leaseMs: Millis,
  delayMs: Millis,
): Steps<Turn | null> {
  const [agent] = yield ['SELECT open FROM agent WHERE incarnation = $1 FOR SHARE', incarnation]
  if (agent?.[0] !== 1) return null
  return (yield* takeTurns(engine, incarnation, [group], leaseMs, delayMs)).get(group) ?? null
}

/** Inserts missing rows first, so that parallel claims wait for each other. */
function* lockTurns(groups: readonly GroupId[]): Steps<TurnRow[]> {
  const names = [...new Set(groups)].sort()
  yield [
    `INSERT INTO turn (grp, agent, epoch, lease_until, next_allowed)
     SELECT name, NULL, 0, 0, 0 FROM unnest($1::text[]) AS name WHERE true ON CONFLICT (grp) DO NOTHING`,
    names,
  ]
  const rows = yield [
    `SELECT grp, agent, epoch, lease_until, next_allowed, delay_ms FROM turn
     WHERE grp = ANY($1::text[]) ORDER BY grp FOR UPDATE`,
    names,
  ]
  return rows.map(([group, holder, ...values]) => {
    const [epoch, leaseUntil, nextAllowed, delayMs] = values.map(Number)
    return {
      group: String(group),
      holder: holder === null ? null : Number(holder),
      epoch,
      leaseUntil,
      nextAllowed,
      delayMs,
    }
  })
}

function* holdersOf(
  rows: readonly TurnRow[],
  incarnation: Incarnation,
): Steps<ReadonlyMap<Incarnation, TurnHolder>> {
  const holders = rows.flatMap(({ holder }) => (holder === null || holder === incarnation ? [] : [holder]))
  if (holders.length === 0) return new Map()
  const [[gapUntil, last]] = yield ['SELECT gap_until, last_heartbeat FROM crawl']
  const open = yield [
    'SELECT incarnation, heartbeat_at FROM agent WHERE open = 1 AND incarnation = ANY($1::bigint[])',
    holders,
  ]
  const heartbeats = new Map(open.map(([incarnation, at]) => [Number(incarnation), Number(at)]))
  const heard = { gapUntil: Number(gapUntil), lastHeartbeat: Number(last) }
  return new Map(
    holders.map(holder => {
      const heartbeatAt = heartbeats.get(holder)
      return [holder, { isOpen: heartbeatAt !== undefined, heartbeatAt: heartbeatAt ?? 0, ...heard }]
    }),
  )
}

/** A turn that came with a lease stays until the group's last lease ends. */
export function* releaseTurn(
  { now }: Engine,
  incarnation: Incarnation,
  group: GroupId,
  nextAllowed: Millis,
): Steps<void> {
  yield [
    'UPDATE turn SET next_allowed = greatest(next_allowed, $1) WHERE grp = $2 AND agent = $3',
    Math.ceil(nextAllowed),
    group,
    incarnation,
  ]
  yield* freeUnused([{ agent: incarnation, grp: group, until: now }])
}

/**
 * An incarnation holds the turn of a group as long as it leases a cell of the group. The rows are locked
 * before the search for such a cell: a parallel grant of another cell of the group is seen, or waits.
 */
export function* freeUnused(holds: readonly Hold[]): Steps<void> {
  if (holds.length === 0) return
  const latest = new Map<string, Hold>()
  for (const hold of holds) {
    const key = `${hold.agent} ${hold.grp}`
    const known = latest.get(key)
    if (!known || known.until < hold.until) latest.set(key, hold)
  }
  const over = [...latest.values()]
  const names = over.map(({ grp }) => grp)
  yield ['SELECT 1 FROM turn WHERE grp = ANY($1::text[]) ORDER BY grp FOR UPDATE', names]
  yield [
    `UPDATE turn SET agent = NULL, lease_until = hold.until
     FROM json_to_recordset($1::json) AS hold (grp text, agent bigint, until bigint)
     WHERE turn.grp = hold.grp AND turn.agent = hold.agent
       AND NOT EXISTS (SELECT 1 FROM cell WHERE cell.agent = hold.agent AND cell.grp = hold.grp)`,
    JSON.stringify(over),
  ]
}

/** The incarnation has ended, so its last request was before now. */
export function* leaveTurns({ now }: Engine, incarnation: Incarnation): Steps<void> {
  yield ['SELECT 1 FROM turn WHERE agent = $1 ORDER BY grp FOR UPDATE', incarnation]
  yield ['UPDATE turn SET agent = NULL, lease_until = $1 WHERE agent = $2', now, incarnation]
}

/** Waits and delays of groups, in their order; zeros for a group without a row. */
export function* waits(groups: readonly GroupId[]): Steps<{ nextAllowed: Millis; delayMs: Millis }[]> {
  const rows = yield ['SELECT grp, next_allowed, delay_ms FROM turn WHERE grp = ANY($1::text[])', groups]
  const known = new Map(rows.map(([group, ...times]) => [String(group), times.map(Number)]))
  return groups.map(group => {
    const [nextAllowed, delayMs] = known.get(group) ?? [0, 0]
    return { nextAllowed, delayMs }
  })
}

/** Never shortens a stored wait. */
export function* saveWait(
  _engine: Engine,
  group: GroupId,
  nextAllowed: Millis,
  delayMs: Millis,
): Steps<void> {
  yield [
    `INSERT INTO turn (grp, agent, epoch, lease_until, next_allowed, delay_ms) VALUES ($1, NULL, 0, 0, $2, $3)
     ON CONFLICT (grp) DO UPDATE SET
       next_allowed = greatest(turn.next_allowed, excluded.next_allowed), delay_ms = excluded.delay_ms`,
    group,
    Math.ceil(nextAllowed),
    Math.ceil(delayMs),
  ]
}

/** Saves the waits of a pack in the order of groups; never shortens a stored one. */
export function* saveWaits(
  packed: readonly { readonly group: GroupId; readonly nextAllowed: Millis }[],
): Steps<void> {
  if (packed.length === 0) return
  const latest = new Map<GroupId, Millis>()
  for (const { group, nextAllowed } of packed)
    latest.set(group, Math.max(latest.get(group) ?? 0, Math.ceil(nextAllowed)))
  const groups = [...latest.keys()].sort()
  yield [
    `INSERT INTO turn (grp, agent, epoch, lease_until, next_allowed)
     SELECT wait.grp, NULL, 0, 0, wait.next FROM json_to_recordset($1::json) AS wait (grp text, next bigint)
     WHERE true
     ON CONFLICT (grp) DO UPDATE SET next_allowed = greatest(turn.next_allowed, excluded.next_allowed)`,
    JSON.stringify(groups.map(grp => ({ grp, next: latest.get(grp)! }))),
  ]
}

/** Stores only enough sites to know that an address serves too many. */
export function* joinAddresses(
  _engine: Engine,
  site: Site,
  addresses: readonly string[],
  mostSites: number,
): Steps<string[]> {
  const few = yield* servingFew(addresses, mostSites)
  if (few.length === 0) return []
  const places = [...new Set(few)].sort()
  yield [
    `INSERT INTO address (site, address) VALUES ${places.map((_, i) => `($1, $${i + 2})`).join(', ')}
     ON CONFLICT DO NOTHING`,
    site,
    ...places,
  ]
  return yield* servingFew(few, mostSites)
}

/** The addresses with at most `mostSites` stored sites. */
function* servingFew(addresses: readonly string[], mostSites: number): Steps<string[]> {
  if (addresses.length === 0) return []
  const places = addresses.map((_, i) => `($${i + 2})`)
  const rows = yield [
    `WITH named (name) AS (VALUES ${places.join(', ')})
     SELECT name, (SELECT count(*) FROM (SELECT 1 FROM address WHERE address = name LIMIT $1) AS served) FROM named`,
    mostSites + 1,
    ...addresses,
  ]
  const sites = new Map(rows.map(([name, count]) => [String(name), Number(count)]))
  return addresses.filter(address => sites.get(address)! <= mostSites)
}
