/** The figures of a simulated crawl (D23), counted from what the ledger sees. */
import type { Incarnation, Pack } from '../cluster/index.js'
import type { CellId, Lease } from '../model/cell.js'
import type { Millis } from '../model/clock.js'
import { siteOf } from '../model/url.js'
import type { LedgerMethod, LedgerWitness } from './flaky-ledger.js'

export interface Metrics {
  /** Pages stored more than once, per page: the promise is 0. */
  readonly overlap: number
  /** Page requests beyond one per URL: what crashes cost. */
  readonly overlapFetches: number
  readonly coverage: number
  /** Links that left their site, per page. */
  readonly communication: number
  /** Distinct (source page, target agent); where nobody has the target, the ledger counts as one. */
  readonly messages: number
  /** Distinct (source site, target agent). */
  readonly coalescedMessages: number
  /** Sample standard deviation of the share of the work that each agent did, in per cent. */
  readonly workloadStdev: number
}

/** The agent that a cell is sent to while nobody has it. */
const NOBODY = ''

export class Tally implements LedgerWitness {
  readonly #names = new Map<Incarnation, string>()
  readonly #holders = new Map<CellId, string>()
  readonly #pairs = new Set<string>()
  readonly #work = new Map<string, Millis>()
  #links = 0
  #messages = 0

  called(method: LedgerMethod, args: readonly unknown[], answer: unknown): void {
    if (method === 'join') this.#names.set(answer as Incarnation, args[0] as string)
    else if (method === 'grant') {
      const name = this.#nameOf(args[0] as Incarnation)
      for (const { cell } of answer as readonly Lease[]) this.#holders.set(cell, name)
    } else if (method === 'finish' && answer === true) this.#holders.delete(args[0] as CellId)
    else if (method === 'commit' && (answer as { status: string }).status === 'committed')
      this.#committed(args[0] as Pack)
  }

  metrics(facts: {
    readonly overlap: number
    readonly acknowledged: number
    readonly expected: number
    readonly fetches: number
    readonly urlsFetched: number
  }): Metrics {
    const { overlap, acknowledged, expected, fetches, urlsFetched } = facts
    return {
      overlap,
      overlapFetches: urlsFetched === 0 ? 0 : (fetches - urlsFetched) / urlsFetched,
      coverage: acknowledged / expected,
      communication: this.#links / Math.max(1, acknowledged),
      messages: this.#messages,
      coalescedMessages: this.#pairs.size,
      workloadStdev: this.#stdevPercent(),
    }
  }

  #committed(pack: Pack): void {
    const sender = this.#nameOf(pack.incarnation)
    const messages = new Set<string>()
    for (const { cell, rows } of pack.appends) {
      const target = this.#holders.get(cell) ?? NOBODY
      this.#links += rows.length
      if (target === sender) continue
      for (const { via } of rows) {
        messages.add(`${via} ${target}`)
        this.#pairs.add(`${via === '' ? '' : siteOf(via)} ${target}`)
      }
    }
    this.#messages += messages.size
    const spent = pack.cells.reduce((sum, { fetchMs }) => sum + fetchMs, 0)
    this.#work.set(sender, (this.#work.get(sender) ?? 0) + spent)
  }

  #nameOf(incarnation: Incarnation): string {
    return this.#names.get(incarnation) ?? String(incarnation)
  }

  #stdevPercent(): number {
    const work = [...this.#work.values()]
    const total = work.reduce((sum, ms) => sum + ms, 0)
    if (work.length < 2 || total === 0) return 0
    const mean = 1 / work.length
    const squares = work.reduce((sum, ms) => sum + (ms / total - mean) ** 2, 0)
    return 100 * Math.sqrt(squares / (work.length - 1))
  }
}
