/**
 * Repeats calls while the ledger is unavailable. A call without an answer may have taken effect, but every
 * call can be repeated safely: a pack has an id, other writes name an epoch, and the rest are reads.
 */

import { type Clock, sleep } from '../model/index.js'
import type { Ledger } from './ledger.js'
import { ledgerOfCalls } from './ledger-calls.js'
import { LedgerError } from './ledger-error.js'
import { RETRYING_LEDGER_RETRY_MS } from './limits.js'

/** Called for every call without an answer, and with null once such a call is answered. */
export type OnUnavailable = (trouble: LedgerError | null) => void

export function retryingLedger(
  ledger: Ledger,
  clock: Clock,
  onUnavailable: OnUnavailable = () => {},
): Ledger {
  return ledgerOfCalls(name => {
    const ask = ledger[name] as (...args: unknown[]) => Promise<unknown>
    // A call that succeeds costs one more promise, not a loop.
    const withRetry = (...args: unknown[]) =>
      ask(...args).then(undefined, error => retry(() => ask(...args), error, clock, onUnavailable))
    return withRetry as Ledger[typeof name]
  })
}

async function retry(
  ask: () => Promise<unknown>,
  first: unknown,
  clock: Clock,
  onUnavailable: OnUnavailable,
): Promise<unknown> {
  for (let error = first; ; ) {
    if (!(error instanceof LedgerError) || error.kind !== 'away') throw error
    onUnavailable(error)
    await sleep(clock, RETRYING_LEDGER_RETRY_MS)
    try {
      const answer = await ask()
      onUnavailable(null)
      return answer
    } catch (next) {
      error = next
    }
  }
}
