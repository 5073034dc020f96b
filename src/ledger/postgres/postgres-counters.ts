/** The counters of the crawl: sequences, so that writers do not wait for each other. */
import type { Millis } from '../../model/index.js'
import type { Counter, Engine, Steps } from '../sql/index.js'
import { TIMELINE } from './postgres-crawls.js'
import type { Transaction } from './postgres-database.js'

const LAST_GRANT = '(SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM grant_number)'

export function postgresEngine(now: Millis): Engine {
  return { now, timeline: TIMELINE, lastGrant: LAST_GRANT, numbers }
}

export function* numbers(counter: Counter, count: number): Steps<number[]> {
  if (count === 0) return []
  const rows = yield ['SELECT nextval($1::regclass) FROM generate_series(1, $2::bigint)', counter, count]
  return rows.map(([number]) => Number(number)).sort((a, b) => a - b)
}

/** The lock keeps out appends, so the numbers after the last rank are free. */
export async function rankBySize(tx: Transaction): Promise<void> {
  await tx.all('SELECT 1 FROM crawl FOR UPDATE')
  const [count] = (await tx.first(`SELECT count(*) FROM cell WHERE state = 'waiting'`))!
  if (count === 0) return
  const [last] = (await tx.first(
    `SELECT setval('rank_tail', nextval('rank_tail') + $1::bigint - 1) - $1::bigint`,
    Number(count),
  ))!
  await tx.run(
    `UPDATE cell SET rank = ranked.place + $1
     FROM (SELECT cell AS name, row_number() OVER (ORDER BY greatest(size_estimate, pages) DESC, rank) AS place
           FROM cell WHERE state = 'waiting') AS ranked WHERE cell = ranked.name`,
    Number(last),
  )
}
