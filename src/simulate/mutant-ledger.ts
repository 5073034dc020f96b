/** A ledger as a careless agent would use it: each mistake that the rules of the ledger prevent, made on purpose. */
import { type CommitResult, type Ledger, LedgerError, type Pack } from '../cluster/index.js'
import type { CellId, Epoch } from '../model/cell.js'
import { type Clock, sleep } from '../model/clock.js'
import type { Mutation } from './mutations.js'

/** Between the two halves of what should be one step. */
const BETWEEN_MS = 3_000

export function mutantLedger(ledger: Ledger, clock: Clock, mutation: Mutation | undefined): Ledger {
  switch (mutation) {
    case 'links-late':
      return withMethod(ledger, 'commit', (pack: Pack) => commitWithoutLinks(ledger, clock, pack))
    case 'lost-is-refused':
      return withMethod(ledger, 'commit', (pack: Pack) => commitOrRefused(ledger, pack))
    default:
      return ledger
  }
}

/** What the ledger's own side does wrong: it looks into the inbox, and a moment later finishes the cell. */
export function mutantCore(ledger: Ledger, clock: Clock, mutation: Mutation | undefined): Ledger {
  if (mutation !== 'finish-not-exists') return ledger
  return withMethod(ledger, 'finish', async (cell: CellId, epoch: Epoch) => {
    const unread = await ledger.readInbox(cell, 0, 1)
    if (unread.length > 0) return false
    await sleep(clock, BETWEEN_MS)
    return ledger.finish(cell, epoch)
  })
}

async function commitWithoutLinks(ledger: Ledger, clock: Clock, pack: Pack): Promise<CommitResult> {
  const answer = await ledger.commit({ ...pack, appends: [] })
  if (answer.status === 'committed' && pack.appends.length > 0) {
    await sleep(clock, BETWEEN_MS)
    await ledger.append(pack.appends)
  }
  return answer
}

async function commitOrRefused(ledger: Ledger, pack: Pack): Promise<CommitResult> {
  try {
    return await ledger.commit(pack)
  } catch (error) {
    if (!(error instanceof LedgerError)) throw error
    return { status: 'stale', cells: pack.cells.map(({ cell }) => cell) }
  }
}

function withMethod<K extends keyof Ledger>(ledger: Ledger, name: K, method: Ledger[K]): Ledger {
  return new Proxy(ledger, {
    get: (_target, asked) => (asked === name ? method : ledger[asked as keyof Ledger]),
  })
}
