/**
 * The outcome of every URL by the journals, with which tables and archive are compared. A cell is read twice,
 * outcomes first; outcomes are kept by fingerprint in a set that spills to disk, so memory is bounded.
 */

import { cellBatches, type Ledger } from '../ledger/index.js'
import { fingerprint, takeFingerprint } from '../model/bytes/index.js'
import { type CellId, type Discovery, type OutcomeCode, SplitCells } from '../model/index.js'
import { type FrontierSpace, readJournal } from '../page/frontier/index.js'
import { SeenSet } from '../page/frontier/seen/index.js'
import { JOURNAL_OUTCOMES_BATCH_BYTES } from './limits.js'

export interface JournalOutcome {
  readonly cell: CellId
  readonly discovery: Discovery
  readonly code: OutcomeCode
  /** Number of the attempt. */
  readonly attempt: number
  /** False if the outcome was withdrawn because the stored copy is lost: the URL is queued again. */
  readonly counts: boolean
}

/** In the order of cells. A URL discovered several times (`--max-depth`) is repeated. */
export async function* journalOutcomes(ledger: Ledger, space: FrontierSpace): AsyncGenerator<JournalOutcome> {
  for await (const batch of cellBatches(ledger))
    for (const { cell, state } of batch) if (state !== 'closed') yield* outcomesOf(ledger, space, cell)
}

/** Cells of a split site read the journals of their parents and take their own part. */
async function* outcomesOf(
  ledger: Ledger,
  space: FrontierSpace,
  cell: CellId,
): AsyncGenerator<JournalOutcome> {
  const ends = new CellOutcomes(space)
  try {
    for await (const journal of journalsOf(ledger, cell)) readJournal(journal, ends)
    const part = new SplitCells().partOf(cell)
    for await (const journal of journalsOf(ledger, cell)) {
      const found: JournalOutcome[] = []
      readJournal(journal, {
        discovered(discovery) {
          if (part !== null && !part(discovery.url)) return
          for (const end of ends.of(discovery.url)) found.push({ cell, discovery, ...end })
        },
      })
      yield* found
    }
  } finally {
    ends.close()
  }
}

async function* journalsOf(ledger: Ledger, cell: CellId): AsyncGenerator<Uint8Array> {
  for (let from = 0; ; ) {
    const batch = await ledger.readJournal(cell, from, JOURNAL_OUTCOMES_BATCH_BYTES)
    if (batch.length === 0) return
    for (const { journal } of batch) yield journal
    from = batch[batch.length - 1].number + 1
  }
}

class CellOutcomes {
  readonly #outcomes: SeenSet
  /** Codes in this cell, each with the salt for its fingerprints. */
  readonly #codes = new Map<OutcomeCode, number>()
  /** Few of a cell's URLs have an entry in these. */
  readonly #attempts = new Map<string, number>()
  readonly #takenBack = new Map<string, Set<OutcomeCode>>()

  constructor(space: FrontierSpace) {
    this.#outcomes = new SeenSet(space.seen)
  }

  settled(low: number, high: number, code: OutcomeCode): void {
    this.#outcomes.add((low ^ this.#saltOf(code)) >>> 0, high)
    if (this.#takenBack.size > 0) this.#takenBack.get(`${low} ${high}`)?.delete(code)
  }

  retried(low: number, high: number, attempt: number): void {
    this.#attempts.set(`${low} ${high}`, attempt)
  }

  reopened(low: number, high: number, code: OutcomeCode): void {
    const codes = this.#takenBack.get(`${low} ${high}`) ?? new Set()
    this.#takenBack.set(`${low} ${high}`, codes.add(code))
  }

  *of(url: string): Iterable<Omit<JournalOutcome, 'cell' | 'discovery'>> {
    takeFingerprint(url)
    const { low, high } = fingerprint
    const key = `${low} ${high}`
    for (const [code, salt] of this.#codes) {
      if (!this.#outcomes.has((low ^ salt) >>> 0, high)) continue
      const counts = !this.#takenBack.get(key)?.has(code)
      yield { code, attempt: this.#attempts.get(key) ?? 1, counts }
    }
  }

  close(): void {
    this.#outcomes.close()
  }

  #saltOf(code: OutcomeCode): number {
    let salt = this.#codes.get(code)
    if (salt === undefined) {
      takeFingerprint(code)
      salt = fingerprint.low
      this.#codes.set(code, salt)
    }
    return salt
  }
}
