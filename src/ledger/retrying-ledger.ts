/**
 * Asks again while the ledger is away. A call that got no answer may have been carried out: every call can be
 * repeated without harm (a pack has an id, the others name an epoch or only ask), so it is sent again, the
 * same, until the ledger says what became of it.
 */
import { type Clock, sleep } from '../model/index.js'
import type { Ledger } from './ledger.js'
import { ledgerOfCalls } from './ledger-calls.js'
import { LedgerError } from './ledger-error.js'

const AGAIN_MS = 500

/** Told of every call that got no answer, and with null of one that has got it at last. */
export type OnUnavailable = (trouble: LedgerError | null) => void

export function retryingLedger(ledger: Ledger, clock: Clock, onAway: OnUnavailable = () => {}): Ledger {
  return ledgerOfCalls(name => {
    const ask = ledger[name] as (...args: unknown[]) => Promise<unknown>
    // An answer that comes costs one promise more, not a loop.
    const withRetry = (...args: unknown[]) =>
      ask(...args).then(undefined, error => askAgain(() => ask(...args), error, clock, onAway))
    return withRetry as Ledger[typeof name]
  })
}

async function askAgain(
  ask: () => Promise<unknown>,
  first: unknown,
  clock: Clock,
  onAway: OnUnavailable,
): Promise<unknown> {
  for (let error = first; ; ) {
    if (!(error instanceof LedgerError) || error.kind !== 'away') throw error
    onAway(error)
    await sleep(clock, AGAIN_MS)
    try {
      const answer = await ask()
      onAway(null)
      return answer
    } catch (next) {
      error = next
    }
  }
}
