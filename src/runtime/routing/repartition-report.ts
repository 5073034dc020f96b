/** Predicted and actual effects of repartitions, for the report. */

import {
  markOf,
  paceIn,
  type RepartitionRecord,
  recordsIn,
  spanIn,
  withAfter,
} from '../../cluster/coordinator/index.js'
import type { Ledger } from '../../ledger/index.js'
import type { Millis } from '../../model/index.js'
import type { Report } from '../../report/index.js'

type Row = Report['repartitions'][number]

/** The period after the last repartition ends `now`. */
export async function repartitionsOf(ledger: Ledger, now: Millis): Promise<Report['repartitions']> {
  const settings = await ledger.settings()
  const records = recordsIn(settings)
  const span = spanIn(settings)
  if (records.length === 0 || span === null) return records.map(rowOf)
  return withAfter(records, { from: span.from, to: await markOf(ledger, now) }).map(rowOf)
}

function rowOf(record: RepartitionRecord): Row {
  const { at, why, agents, isWorth, predicted } = record
  return { at: new Date(at).toISOString(), why, agents, isWorth, predicted, happened: happenedOf(record) }
}

/**
 * The gain is the time for the remaining pages at the pace before, minus that at the pace after.
 */
function happenedOf({ moved, before, after, predicted }: RepartitionRecord): Row['happened'] {
  if (moved === null) return null
  const paces = { before: paceIn(before), after: paceIn(after) }
  const msAt = (pace: typeof paces.before) => (1000 * predicted.left) / (pace?.pagesPerSecond ?? 0)
  const gainMs = msAt(paces.before) - msAt(paces.after)
  return { ...moved, gainMs: Number.isFinite(gainMs) ? Math.round(gainMs) : null, ...paces }
}
