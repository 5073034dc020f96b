/**
 * Signals that abort with another signal or on their own. One that never aborted is used again, because a
 * fetcher keeps a list for each signal.
 */
import { Stop, type StopSignal } from '../../model/index.js'

interface Pool {
  readonly all: Set<Stop>
  readonly free: Stop[]
}

const POOLS = new WeakMap<StopSignal, Pool>()

/** Returns a signal that aborts with `parent`, which must not be aborted yet. */
export function takeAttempt(parent: StopSignal): Stop {
  const { all, free } = poolOf(parent)
  const known = free.pop()
  if (known) return known
  const attempt = new Stop()
  all.add(attempt)
  return attempt
}

/** Takes the signal back; nobody may listen to it any more. */
export function endAttempt(parent: StopSignal, attempt: Stop): void {
  const { all, free } = poolOf(parent)
  if (attempt.signal.aborted) all.delete(attempt)
  else free.push(attempt)
}

function poolOf(parent: StopSignal): Pool {
  const known = POOLS.get(parent)
  if (known) return known
  const pool: Pool = { all: new Set(), free: [] }
  POOLS.set(parent, pool)
  const stop = () => {
    for (const attempt of pool.all) attempt.abort()
    pool.free.length = 0
  }
  parent.addEventListener('abort', stop, { once: true })
  return pool
}
