/** One query over a crawl, for callers that keep no connection of their own. */
import type { Clock } from '../../model/index.js'
import type { QueryLimits } from './locked-instance.js'
import { openTables, type Row } from './tables.js'

export interface QueryOptions extends QueryLimits {
  /** Ends the query; its reason is thrown. */
  readonly signal?: AbortSignal
  /** Ends the query with a `TimeoutError` (a DOMException) this long after its start. */
  readonly timeoutMs?: number
}

/** The rows that `sql` selects from the tables of the crawl in `dir`. */
export async function* queryRows(
  dir: string,
  sql: string,
  { signal, timeoutMs, ...limits }: QueryOptions,
  clock: Clock,
): AsyncGenerator<Row> {
  const late = timeoutMs === undefined ? [] : [AbortSignal.timeout(timeoutMs)]
  const either = AbortSignal.any(signal ? [signal, ...late] : late)
  const tables = await openTables(dir, { ...limits, interruption: { signal: either, clock } })
  try {
    yield* tables.query(sql)
  } finally {
    await tables.close()
  }
}
