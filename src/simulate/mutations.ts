import type { MemoryRule } from '../ledger/memory/index.js'
import type { PhaseMistake } from '../page/politeness/index.js'

/**
 * The rules of the ledger, each with the mistake it prevents. The simulator can make any of these mistakes;
 * nothing else can. A checker that finds none of them would be worth nothing.
 */
export const MUTATIONS = {
  'no-fencing': 'packs of old epochs, old numbers and closed incarnations are committed',
  'ledger-first': 'the ledger is written before the store',
  'links-late': 'links to other cells are sent after their page is acknowledged',
  'finish-not-exists': 'a cell is finished when a look at its inbox finds nothing, a moment later',
  'lost-is-refused': 'no answer to a COMMIT counts as a refusal',
  'orphans-of-the-living': 'files are cut back while their writer lives',
  'failed-to-tail': 'sites of a failed agent go to the tail of the queue',
  'old-epochs': 'packs of an epoch that is over are committed',
  'epoch-stays': 'a cell that changes hands keeps its epoch',
  'takes-what-is-held': 'who takes a cell has it, also when another holds it',
  'stale-in-part': 'of a pack with a stale cell the rest is committed, and nobody is told',
  'no-pack-id': 'a pack that is sent again is not known again',
  'early-acknowledgement': 'a pack counts as committed once it is sent',
  'sent-too-early': 'a link counts as sent before its row is durable',
  'finished-stays': 'an append does not wake a finished cell',
  'read-is-consumed': 'rows of an inbox are gone once they are read, not once their pack is committed',
  'journal-cut': 'a cell is rebuilt without its last pack',
  'cut-in-place': 'a file is cut back under its old name, which its writer still has open',
  'lease-overrun': 'an agent goes on for two leases after its last heartbeat',
  'no-handover-wait': 'the first request under a new lease does not wait for what the last one left behind',
  'waits-untold': 'a Crawl-delay is not told to the ledger',
  'no-turns': 'sites of one domain are leased as if they had nothing in common',
  'no-guard': 'phases swap without a guard before and after',
  'no-cut': 'what is under way when phases swap goes on',
  'no-swap-wait': 'the first request after a swap does not wait its full delay',
  'end-unchecked': 'the crawl is ended without a look at what waits and what is leased',
  'end-unlatched': 'the end is told and the crawl row stays open',
  'split-forgets': 'the children of a split cell know nothing of what it has seen',
  'split-loses-rows': 'unread rows of a cell that is split are dropped',
  'closed-takes-rows': 'links for a cell that was split are taken',
  'moved-unasked': 'a cell that is to move is taken before its agent has stopped and sealed',
} as const

export type Mutation = keyof typeof MUTATIONS

/** The rules that the ledger itself keeps, less the one that is broken. */
const BROKEN: Partial<Record<Mutation, MemoryRule>> = {
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
  return (mutation && BROKEN[mutation]) ?? null
}

/** The rules of phases, which no ledger keeps. */
export function phaseMistake(mutation: Mutation | undefined): PhaseMistake | undefined {
  return mutation === 'no-guard' || mutation === 'no-cut' || mutation === 'no-swap-wait'
    ? mutation
    : undefined
}
