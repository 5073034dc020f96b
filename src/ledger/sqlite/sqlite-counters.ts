/** The counters of the crawl: columns of its row, because there is one writer. */
import type { Millis } from '../../model/index.js'
import type { Counter, Engine, Steps } from '../sql/index.js'
import type { SqliteDatabase } from './sqlite-database.js'

export function sqliteEngine(now: Millis): Engine {
  return { now, timeline: null, lastGrant: 'grants', numbers }
}

/** Statements that move a counter on by $1 and return the highest of the new numbers. */
const DRAW: Readonly<Record<Counter, string>> = {
  rank_head: 'UPDATE crawl SET first_rank = first_rank - $1 RETURNING first_rank + $1 - 1',
  rank_tail: 'UPDATE crawl SET next_rank = next_rank + $1 RETURNING next_rank',
  grant_number: 'UPDATE crawl SET grants = grants + $1 RETURNING grants',
}

export function* numbers(counter: Counter, count: number): Steps<number[]> {
  if (count === 0) return []
  const [[last]] = yield [DRAW[counter], count]
  return Array.from({ length: count }, (_, i) => Number(last) - count + 1 + i)
}

export function rankBySize(db: SqliteDatabase): void {
  db.run(
    `UPDATE cell SET rank = ranked.place + (SELECT next_rank FROM crawl)
     FROM (SELECT cell AS name, row_number() OVER (ORDER BY max(size_estimate, pages) DESC, rank) AS place
           FROM cell WHERE state = 'waiting') AS ranked WHERE cell = ranked.name`,
  )
  db.run(
    'UPDATE crawl SET next_rank = max(next_rank, (SELECT coalesce(max(rank), 0) FROM cell WHERE state = ?))',
    'waiting',
  )
}
