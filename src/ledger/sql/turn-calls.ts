/** Waits of groups, and the addresses that are groups. */
import type { GroupId, Millis } from '../../model/index.js'
import type { Site } from '../../model/url/index.js'
import type { Steps } from './sql-steps.js'

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
export function* saveWait(_now: Millis, group: GroupId, nextAllowed: Millis, delayMs: Millis): Steps<void> {
  yield [
    `INSERT INTO turn (grp, agent, epoch, lease_until, next_allowed, delay_ms) VALUES ($1, NULL, 0, 0, $2, $3)
     ON CONFLICT (grp) DO UPDATE SET
       next_allowed = greatest(turn.next_allowed, excluded.next_allowed), delay_ms = excluded.delay_ms`,
    group,
    Math.ceil(nextAllowed),
    Math.ceil(delayMs),
  ]
}

/** Stores only enough sites to know that an address serves too many. */
export function* joinAddresses(
  _now: Millis,
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
