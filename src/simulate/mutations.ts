import type { MemoryRules } from '../cluster/memory-state.js'

/**
 * The rules of the ledger, each with the mistake it prevents. The simulator can make any of these mistakes; nothing else
 * can. A checker that finds none of them would be worth nothing.
 */
export const MUTATIONS = {
  'no-fencing': 'packs of old epochs, old numbers and closed lives are committed',
  'ledger-first': 'the ledger is written before the store',
  'links-late': 'links to other cells are sent after their page is acknowledged',
  'finish-not-exists': 'a cell is finished when a look at its inbox finds nothing, a moment later',
  'lost-is-refused': 'no answer to a COMMIT counts as a refusal',
  'orphans-of-the-living': 'files are cut back while their writer lives',
  'failed-to-tail': 'sites of a failed agent go to the tail of S',
} as const

export type Mutation = keyof typeof MUTATIONS

/** The rules that the ledger itself keeps. */
export function rulesUnder(mutation: Mutation | undefined): MemoryRules {
  return {
    fences: mutation !== 'no-fencing',
    testsFinish: mutation !== 'finish-not-exists',
    failedGoTo: mutation === 'failed-to-tail' ? 'tail' : 'head',
  }
}
