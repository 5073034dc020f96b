/** Ledgers that break one rule on purpose: in the way an agent uses them, or in the ledger itself. */

import { type CommitResult, type InboxRow, type Ledger, LedgerError, type Pack } from '../../ledger/index.js'
import { type CellId, type Clock, type Epoch, type Lease, type Millis, sleep } from '../../model/index.js'
import { BETWEEN_MS, LEASE_MS } from '../limits.js'
import type { Mutation } from './mutations.js'

/** Mistakes of an agent. */
export function mutantLedger(ledger: Ledger, clock: Clock, mutation: Mutation | undefined): Ledger {
  switch (mutation) {
    case 'links-late':
      return { ...ledger, commit: pack => commitWithoutLinks(ledger, clock, pack) }
    case 'lost-is-refused':
      return { ...ledger, commit: pack => commitOrStale(ledger, pack) }
    case 'early-acknowledgement':
      return {
        ...ledger,
        async commit(pack) {
          void ledger.commit(pack).catch(() => {})
          return { status: 'committed' }
        },
      }
    case 'sent-too-early':
      return sendingUrlsOnce(ledger)
    case 'no-turns':
      return { ...ledger, commit: pack => ledger.commit(inOwnGroups(pack)) }
    case 'journal-cut':
      return { ...ledger, readJournal: async (...args) => (await ledger.readJournal(...args)).slice(0, -1) }
    case 'waits-untold':
      return { ...ledger, saveWait: async () => {} }
    case 'no-handover-wait':
      return { ...ledger, leases: async (...args) => withoutWaits(await ledger.leases(...args)) }
    case 'lease-overrun':
      return {
        ...ledger,
        heartbeat: (incarnation, _leaseMs, status) => ledger.heartbeat(incarnation, LEASE_MS, status),
      }
    default:
      return ledger
  }
}

/** How long an agent believes its leases to last. */
export function believedLeaseMs(mutation: Mutation | undefined): Millis {
  return mutation === 'lease-overrun' ? 3 * LEASE_MS : LEASE_MS
}

/** Mistakes of the ledger that no `MemoryRule` covers. */
export function mutantCore(ledger: Ledger, clock: Clock, mutation: Mutation | undefined): Ledger {
  switch (mutation) {
    case 'finish-not-exists':
      return { ...ledger, finish: (cell, epoch) => checkThenFinish(ledger, clock, cell, epoch) }
    case 'stale-in-part':
      return { ...ledger, commit: pack => commitInPart(ledger, pack) }
    case 'no-pack-id':
      return forgettingIds(ledger)
    case 'read-is-consumed':
      return readingOnce(ledger)
    default:
      return ledger
  }
}

/** Reads the inbox, and finishes the cell a moment later: what arrives in between is lost. */
async function checkThenFinish(ledger: Ledger, clock: Clock, cell: CellId, epoch: Epoch): Promise<boolean> {
  const unread = await ledger.readInbox(cell, 0, 1)
  if (unread.length > 0) return false
  await sleep(clock, BETWEEN_MS)
  return ledger.finish(cell, epoch)
}

async function commitInPart(ledger: Ledger, pack: Pack): Promise<CommitResult> {
  const answer = await ledger.commit(pack)
  if (answer.status !== 'stale') return answer
  return ledger.commit({ ...pack, cells: pack.cells.filter(({ cell }) => !answer.cells.includes(cell)) })
}

function forgettingIds(ledger: Ledger): Ledger {
  let sent = 0
  return { ...ledger, commit: pack => ledger.commit({ ...pack, id: `${pack.id} ${++sent}` }) }
}

function readingOnce(ledger: Ledger): Ledger {
  const readTo = new Map<CellId, number>()
  const readInbox = async (cell: CellId, after: number, limit: number): Promise<readonly InboxRow[]> => {
    const rows = await ledger.readInbox(cell, Math.max(after, readTo.get(cell) ?? 0), limit)
    if (rows.length > 0) readTo.set(cell, rows[rows.length - 1].position)
    return rows
  }
  return { ...ledger, readInbox }
}

async function commitWithoutLinks(ledger: Ledger, clock: Clock, pack: Pack): Promise<CommitResult> {
  const answer = await ledger.commit({ ...pack, appends: [] })
  if (answer.status === 'committed' && pack.appends.length > 0) {
    await sleep(clock, BETWEEN_MS)
    await ledger.append(pack.appends)
  }
  return answer
}

function commitOrStale(ledger: Ledger, pack: Pack): Promise<CommitResult> {
  return ledger.commit(pack).catch(error => {
    if (!(error instanceof LedgerError)) throw error
    return { status: 'stale', cells: pack.cells.map(({ cell }) => cell) }
  })
}

/** Leaves out each URL that was in an earlier pack, committed or not; a rewritten pack keeps its URLs. */
function sendingUrlsOnce(ledger: Ledger): Ledger {
  const sentIn = new Map<string, string>()
  const commit = (pack: Pack): Promise<CommitResult> => {
    const isNew = ({ url }: { readonly url: string }) => (sentIn.get(url) ?? pack.id) === pack.id
    const appends = pack.appends.map(append => ({ ...append, rows: append.rows.filter(isNew) }))
    for (const { rows } of appends) for (const { url } of rows) sentIn.set(url, pack.id)
    return ledger.commit({ ...pack, appends: appends.filter(({ rows }) => rows.length > 0) })
  }
  return { ...ledger, commit }
}

function inOwnGroups(pack: Pack): Pack {
  return { ...pack, appends: pack.appends.map(append => ({ ...append, group: append.cell })) }
}

function withoutWaits(leases: readonly Lease[]): Lease[] {
  return leases.map(lease => ({ ...lease, notBefore: 0, waitUntil: 0, turnFrom: 0 }))
}
