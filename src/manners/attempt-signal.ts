/**
 * Signals for single attempts, which end with another signal or when told to. One that was never aborted serves again:
 * to make a signal and to tie it to another costs as much as parsing a page.
 */
interface Pool {
  readonly all: Set<AbortController>
  readonly free: AbortController[]
}

/** Nobody asks for the reason; left out, an error with its stack is made each time. */
const ENDED = 'the attempt has ended'

const POOLS = new WeakMap<AbortSignal, Pool>()

/** Aborts with `parent`, which must not be aborted yet. */
export function takeAttempt(parent: AbortSignal): AbortController {
  const { all, free } = poolOf(parent)
  const known = free.pop()
  if (known) return known
  const attempt = new AbortController()
  all.add(attempt)
  return attempt
}

export function cutAttempt(attempt: AbortController): void {
  attempt.abort(ENDED)
}

/** Nobody listens to it any more. */
export function endAttempt(parent: AbortSignal, attempt: AbortController): void {
  const { all, free } = poolOf(parent)
  if (attempt.signal.aborted) all.delete(attempt)
  else free.push(attempt)
}

function poolOf(parent: AbortSignal): Pool {
  const known = POOLS.get(parent)
  if (known) return known
  const pool: Pool = { all: new Set(), free: [] }
  POOLS.set(parent, pool)
  const stop = () => {
    for (const attempt of pool.all) attempt.abort(ENDED)
    pool.free.length = 0
  }
  parent.addEventListener('abort', stop, { once: true })
  return pool
}
