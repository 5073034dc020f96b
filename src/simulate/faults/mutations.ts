import type { MemoryRule } from '../../ledger/memory/index.js'
import type { PhaseMistake } from '../../page/politeness/index.js'

/**
 * The mistakes that the rules of the ledger prevent. Only the simulator can make them; its checker has to
 * find each of them.
 */
export const MUTATIONS = {
  'no-fencing': 'packs of old epochs, old numbers and closed incarnations are committed',
  'ledger-first': 'the ledger is written before the store',
  'links-late': 'links to other cells are sent after their page is acknowledged',
  'finish-not-exists': 'a cell is finished a moment after its inbox was found empty',
  'lost-is-refused': 'a COMMIT without an answer counts as refused',
  'orphans-of-the-living': 'files are truncated while their writer runs',
  'failed-to-tail': 'sites of a failed agent go to the tail of the queue',
  'old-epochs': 'packs of an older epoch are committed',
  'epoch-stays': 'a cell that changes hands keeps its epoch',
  'takes-what-is-held': 'a claim succeeds even if another agent holds the cell',
  'stale-in-part': 'a pack with a stale cell is committed without it, and the agent is not told',
  'no-pack-id': 'a pack that is sent again is committed again',
  'early-acknowledgement': 'a pack counts as committed once it is sent',
  'sent-too-early': 'a link counts as sent before its row is durable',
  'finished-stays': 'an append does not wake a finished cell',
  'read-is-consumed': 'inbox rows are dropped when they are read, not when their pack is committed',
  'journal-cut': 'a cell is rebuilt without its last pack',
  'cut-in-place': 'a file is truncated under its old name, which its writer still has open',
  'lease-overrun': 'an agent continues for two leases after its last heartbeat',
  'no-handover-wait': 'the first request under a new lease ignores the waits of the previous one',
  'waits-untold': 'a Crawl-delay is not written to the ledger',
  'no-turns': 'sites of one domain are leased as if they had nothing in common',
  'no-guard': 'phases swap without a guard before and after',
  'no-cut': 'requests in flight are not aborted when phases swap',
  'no-swap-wait': 'the first request after a swap does not wait its full delay',
  'end-unchecked': 'the crawl is closed while cells wait or are leased',
  'end-unlatched': 'the end is announced and the crawl row stays open',
  'split-forgets': 'the children of a split cell do not inherit its seen-set',
  'split-loses-rows': 'unread rows of a cell that is split are dropped',
  'closed-takes-rows': 'a cell that was split accepts links',
  'moved-unasked': 'a cell that moves is taken before its agent has stopped and sealed',
} as const

export type Mutation = keyof typeof MUTATIONS

/** Mutations that switch off a rule of the memory ledger. */
const MEMORY_RULES: Partial<Record<Mutation, MemoryRule>> = {
  'no-fencing': 'fences',
  'finish-not-exists': 'tests-finish',
  'failed-to-tail': 'failed-to-head',
  'old-epochs': 'checks-epochs',
  'epoch-stays': 'raises-epochs',
  'takes-what-is-held': 'leases-the-waiting',
  'finished-stays': 'wakes-finished',
  'end-unchecked': 'tests-end',
  'end-unlatched': 'latches-end',
  'split-forgets': 'children-inherit',
  'split-loses-rows': 'rows-move',
  'closed-takes-rows': 'refuses-closed',
}

export function brokenBy(mutation: Mutation | undefined): MemoryRule | null {
  return (mutation && MEMORY_RULES[mutation]) ?? null
}

/** Mutations of the phase rules, which the ledger does not know. */
export function phaseMistake(mutation: Mutation | undefined): PhaseMistake | undefined {
  return mutation === 'no-guard' || mutation === 'no-cut' || mutation === 'no-swap-wait'
    ? mutation
    : undefined
}
