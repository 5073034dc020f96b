/**
 * Cells of one state in the order of their rank, as short sorted runs: insertion stays cheap with a million.
 */
import { firstIndex } from '../../model/index.js'
import type { CellRow } from './memory-state.js'

const RUN_CELLS = 512

export class RankOrder {
  /** No run is empty. */
  #runs: CellRow[][] = []
  #size = 0

  get size(): number {
    return this.#size
  }

  add(row: CellRow): void {
    this.#size++
    const at = this.#runOf(row)
    const run = this.#runs[at]
    if (run === undefined) {
      this.#runs.push([row])
      return
    }
    run.splice(place(run, row), 0, row)
    if (run.length > RUN_CELLS)
      this.#runs.splice(at, 1, run.slice(0, RUN_CELLS / 2), run.slice(RUN_CELLS / 2))
  }

  /** The row must still have the rank with which it was added. */
  remove(row: CellRow): void {
    const at = this.#runOf(row)
    const run = this.#runs[at]
    const i = run === undefined ? -1 : place(run, row)
    if (run?.[i] !== row) throw new Error(`${row.cell} is not where its rank says`)
    this.#size--
    if (run.length === 1) this.#runs.splice(at, 1)
    else run.splice(i, 1)
  }

  *[Symbol.iterator](): Iterator<CellRow> {
    for (const run of this.#runs) yield* run
  }

  /** The first `limit` rows for which `fits` is true. */
  first(limit: number, fits: (row: CellRow) => boolean): CellRow[] {
    const found: CellRow[] = []
    for (const run of this.#runs) {
      for (const row of run) {
        if (found.length >= limit) return found
        if (fits(row)) found.push(row)
      }
    }
    return found
  }

  /** Rows with a rank from `least` to `most`, in order. */
  between(least: number, most: number): CellRow[] {
    const found: CellRow[] = []
    for (const run of this.#runs) {
      if (run[0].rank > most) break
      if (run[run.length - 1].rank < least) continue
      for (const row of run) if (row.rank >= least && row.rank <= most) found.push(row)
    }
    return found
  }

  /** Index of the last run that begins at or before the row. */
  #runOf(row: CellRow): number {
    const runs = this.#runs
    return Math.max(0, firstIndex(runs.length, i => isBefore(row, runs[i][0])) - 1)
  }
}

/** Rows of equal rank are in the order of discovery. */
function isBefore(a: CellRow, b: CellRow): boolean {
  return a.rank < b.rank || (a.rank === b.rank && a.id < b.id)
}

function place(run: readonly CellRow[], row: CellRow): number {
  return firstIndex(run.length, i => !isBefore(run[i], row))
}
