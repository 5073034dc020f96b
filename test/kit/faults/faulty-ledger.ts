/** The ledger as a faulty agent sees it, with faults at the calls where they matter most. */

import { systemClock as clock } from '../../../src/compose/index.js'
import type { CommitResult, InboxRow, Ledger, Pack, PackCell } from '../../../src/ledger/index.js'
import { type CellId, type Epoch, type Millis, sleep } from '../../../src/model/index.js'
import type { FaultMailbox, InjectedFault } from './faults.js'

/** What an agent reports when a fault is injected into it. */
export type FaultReport =
  /** Its pack is stored, its commit not sent: it stands still until it is ended or let go. */
  | { readonly how: 'kill' | 'freeze'; readonly cells: readonly Pick<PackCell, 'cell' | 'epoch'>[] }
  /** Let go, it has sent the pack all the same. */
  | { readonly how: 'thawed'; readonly answer: CommitResult['status'] }
  /** A site could not be finished, because of a late link. */
  | { readonly how: 'finish'; readonly cell: CellId }

const LOOK_MS: Millis = 100
/** Of a crawl that is tried. */
const MOST_SITES = 1_000

export function faultyLedger(
  ledger: Ledger,
  injectedFaults: FaultMailbox,
  tell: (what: FaultReport) => void,
): Ledger {
  const at = new FaultPoints(ledger, injectedFaults, tell)
  return new Proxy(ledger, {
    get(target, name) {
      if (name === 'commit') return (pack: Pack) => at.commit(pack)
      if (name === 'readInbox')
        return (cell: CellId, after: number, limit: number) => at.readInbox(cell, after, limit)
      if (name === 'finish') return (cell: CellId, epoch: Epoch) => at.finish(cell, epoch)
      return target[name as keyof Ledger]
    },
  })
}

/**
 * Resolves when another agent has brought pages of one of these cells, which a frozen one still has in its
 * hands.
 */
export async function untilOthersWork(
  ledger: Ledger,
  cells: readonly { readonly cell: CellId }[],
  mostMs: Millis,
): Promise<void> {
  const pagesNow = async () => new Map((await ledger.sites('', MOST_SITES)).map(row => [row.cell, row.pages]))
  const before = await pagesNow()
  const end = clock.monotonic() + mostMs
  while (clock.monotonic() < end) {
    const now = await pagesNow()
    if (cells.some(({ cell }) => (now.get(cell) ?? 0) > (before.get(cell) ?? 0))) return
    await sleep(clock, LOOK_MS)
  }
}

class FaultPoints {
  readonly #ledger: Ledger
  readonly #injectedFaults: FaultMailbox
  readonly #tell: (what: FaultReport) => void

  constructor(ledger: Ledger, injectedFaults: FaultMailbox, tell: (what: FaultReport) => void) {
    this.#ledger = ledger
    this.#injectedFaults = injectedFaults
    this.#tell = tell
  }

  async commit(pack: Pack): Promise<CommitResult> {
    const how = (['kill', 'freeze'] as const).find((fault: InjectedFault) => this.#injectedFaults.take(fault))
    if (how === undefined) return this.#ledger.commit(pack)
    this.#tell({ how, cells: pack.cells.map(({ cell, epoch }) => ({ cell, epoch })) })
    this.#injectedFaults.standStill()
    const answer = await this.#ledger.commit(pack)
    this.#tell({ how: 'thawed', answer: answer.status })
    return answer
  }

  /** As if all links had come just after this look. */
  async readInbox(cell: CellId, after: number, limit: number): Promise<readonly InboxRow[]> {
    return this.#injectedFaults.isDue('finish') ? [] : this.#ledger.readInbox(cell, after, limit)
  }

  async finish(cell: CellId, epoch: Epoch): Promise<boolean> {
    const isFinished = await this.#ledger.finish(cell, epoch)
    if (!isFinished && this.#injectedFaults.take('finish')) this.#tell({ how: 'finish', cell })
    return isFinished
  }
}
